"""User names: rude words however they are spelled, reserved names, and names that imitate others.

    python examples/usernames.py

It prints:

    daisy           allow
    Scunthorpe      allow
    Zoë             allow
    Дарья           allow
    xX_fuck_Xx      reject  profanity
    f.u.c.k_you     reject  profanity
    tihs99          reject  wordlist:rude
    admin_team      reject  wordlist:reserved
    раураl          reject  unicode_spoofing
    аdmin           reject  unicode_spoofing, wordlist:reserved
"""

from seemly import BUILTIN, Channel, Engine, PolicySettings, Registry, Wordlist, contains_profanity

POLICIES = Registry([BUILTIN["unicode_spoofing"]])
"""A name is too short for the classifiers, so of the built-in policies only this one runs."""

CHANNEL = Channel(
    key="usernames",
    content_type="profile",
    expected_scripts=("Latin",),
    policies=(PolicySettings("unicode_spoofing", flag=True),),
    wordlists=(
        Wordlist("reserved", ("admin*", "moderator*", "support")),
        Wordlist("rude", ("shit", "nazi"), match="id"),
    ),
)

NAMES = (
    "daisy",
    "Scunthorpe",
    "Zoë",
    "Дарья",
    "xX_fuck_Xx",
    "f.u.c.k_you",
    "tihs99",
    "admin_team",
    "раураl",
    "аdmin",
)


def judge(engine: Engine, name: str) -> tuple[str, list[str]]:
    """The action for a name, and what spoke against it."""
    if contains_profanity(name):
        return "reject", ["profanity"]
    result = engine.moderate(name)
    return result.recommendation.action, sorted(policy.id for policy in result.policies if policy.flagged)


def main() -> None:
    engine = Engine(CHANNEL, registry=POLICIES)
    for name in NAMES:
        action, against = judge(engine, name)
        print(f"{name:<15} {action:<7} {', '.join(against)}".rstrip())


if __name__ == "__main__":
    main()
