"""Lists of your own words: to block, to allow, to require.

    python examples/wordlists.py

It prints:

    reject  Free {{ word hidden }} chips #sale
    reject  {{ word hidden }}, fresh #wanted
    reject  {{ word hidden }} and a {{ word hidden }} #sale
    reject  欢迎来到{{ word hidden }} #sale
    allow   C4sino Royale, the film #sale
    allow   Where the casinos were #wanted
    reject  A table without a tag (wordlist:tags)
"""

from seemly import Channel, Engine, Registry, Wordlist

CHANNEL = Channel(
    key="forum",
    wordlists=(
        Wordlist("unwanted", ("casino", "snake oil", "poker*", "赌场"), mask=True),
        Wordlist("titles", ("casino royale",), mode="allow"),
        Wordlist("tags", ("#sale", "#wanted"), mode="require"),
    ),
)

TEXTS = (
    "Free c-a-s-i-n-o chips #sale",
    "SNAKE   OIL, fresh #wanted",
    "pokers and a pokerface #sale",
    "欢迎来到赌场 #sale",
    "C4sino Royale, the film #sale",
    "Where the casinos were #wanted",
    "A table without a tag",
)


def main() -> None:
    engine = Engine(CHANNEL, registry=Registry())  # an empty registry: the lists alone decide
    for text in TEXTS:
        result = engine.moderate(text)
        missing = " (wordlist:tags)" if result["wordlist:tags"].flagged else ""
        print(f"{result.recommendation.action:<7} {result.modified_text or text}{missing}")


if __name__ == "__main__":
    main()
