"""A policy of your own: one class, one Spec, and a proof that it behaves.

    python examples/custom_policy.py

It prints:

    the policy behaves
    WHERE IS MY ORDER???
        0-20 shouts
    Where is my order?
    OK

In a package of its own, this in pyproject.toml lets `Registry.discover()` and the `seemly` command find it:

    [project.entry-points."seemly.policies"]
    shouting = "your_package.shouting:SPEC"
"""

from collections.abc import Sequence
from dataclasses import dataclass

from seemly import BUILTIN, Channel, Defaults, Engine, Finding, Item, Match, PolicySettings, Registry, Span, Spec
from seemly.testing import check_policy


@dataclass(frozen=True, slots=True)
class ShoutingOptions:
    """Options of the policy: texts with fewer than `letters` letters never shout."""

    letters: int = 8


class Shouting:
    """Finds texts in capitals. The probability is the share of upper-case letters."""

    def __init__(self, options: ShoutingOptions, _channel: Channel) -> None:
        self.options = options

    def check(self, items: Sequence[Item]) -> list[Finding]:
        """One finding an item, in order."""
        return [self._read(item.text.original) for item in items]

    def _read(self, text: str) -> Finding:
        letters = [letter for letter in text if letter.isalpha()]
        if len(letters) < self.options.letters:
            return Finding(0.0)
        share = sum(map(str.isupper, letters)) / len(letters)
        matches = (Match(Span(0, len(text)), text, share),) if share >= 0.5 else ()
        return Finding(share, matches)


SPEC = Spec(
    "shouting", "classifier", build=Shouting, options=ShoutingOptions, defaults=Defaults(threshold=0.8, weight=0.6)
)


def main() -> None:
    check_policy(SPEC, texts=["THIS IS LOUD", "this is not"])
    print("the policy behaves")
    channel = Channel(key="support", policies=(PolicySettings("shouting", options={"letters": 6}),))
    engine = Engine(channel, registry=BUILTIN | Registry([SPEC]))
    for text in ("WHERE IS MY ORDER???", "Where is my order?", "OK"):
        result = engine.moderate(text)
        print(text)
        for match in result["shouting"].matches:
            print(f"    {match.span.start}-{match.span.end} shouts")


if __name__ == "__main__":
    main()
