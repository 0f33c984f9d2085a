"""Rules: what a channel does whatever the severity says. The first rule that matches decides.

    python examples/rules.py

It prints:

    allow   staff             "Call me on +44 20 7946 0958" by an author of trust level 4
    reject  no-phones-yet     "Call me on +44 20 7946 0958" by an author of trust level 0
    review  contact-data      "Mail me: jo@example.com" by an author of trust level 2
    reject  insult            "you are a worthless idiot" by an author of trust level 2
    review  other-languages   "Где находится ближайшая аптека?" by an author of trust level 2
    allow   -                 "thanks, that was a good game" by an author of trust level 2
    reject  author_block      "thanks, that was a good game" by a blocked author
"""

from seemly import Author, Channel, Condition, Engine, Rule, Submission, Text

CHANNEL = Channel(
    key="comments",
    rules=(
        Rule("staff", (Condition("author.trust_level", "at_least", 4),), "allow"),
        Rule(
            "no-phones-yet",
            (Condition("entity.phone.count", "at_least", 1), Condition("author.trust_level", "at_most", 0)),
            "reject",
        ),
        Rule("contact-data", (Condition("policy.personal_information.flagged", "is", True),), "review"),
        Rule("insult", (Condition("policy.toxicity.probability", "at_least", 0.7),), "reject"),
        Rule("other-languages", (Condition("language", "not_in", ["en", "fr"]),), "review"),
    ),
)

ROWS = (
    ("Call me on +44 20 7946 0958", Author("ann", trust_level=4)),
    ("Call me on +44 20 7946 0958", Author("bob", trust_level=0)),
    ("Mail me: jo@example.com", Author("cat", trust_level=2)),
    ("you are a worthless idiot", Author("cat", trust_level=2)),
    ("Где находится ближайшая аптека?", Author("cat", trust_level=2)),
    ("thanks, that was a good game", Author("cat", trust_level=2)),
    ("thanks, that was a good game", Author("dan", status="blocked")),
)


def main() -> None:
    engine = Engine(CHANNEL)
    for text, author in ROWS:
        result = engine.moderate(Submission(content=Text(text), author=author))
        why = result.trace.rule or ("author_block" if result.trace.decided_by == "author_block" else "-")
        who = "a blocked author" if author.status == "blocked" else f"an author of trust level {author.trust_level}"
        print(f'{result.recommendation.action:<7} {why:<17} "{text}" by {who}')


if __name__ == "__main__":
    main()
