"""Words with letters repeated in several places."""

from __future__ import annotations

import pytest

from seemly.core.channel import Wordlist
from seemly.policies.profanity.policy import find_profanity
from seemly.policies.protocol import Item
from seemly.policies.wordlist import build_wordlist
from seemly.text.matching.stretches import has_repeats
from seemly.text.normalize import normalize


@pytest.mark.parametrize("text", ["fuuckk", "asshhoole", "ffuucckkiinngg", "shhiitt", "biiittccchh"])
def test_stretched_profanity_is_found_whole(text: str) -> None:
    assert [match.match for match in find_profanity(normalize(f"so {text} there"), minimum_grade=2)] == [text]


@pytest.mark.parametrize(
    ("word", "text", "found"),
    [
        ("hello", "heellllo", True),
        ("hello", "hheelloo", True),
        ("hello", "helloooo", True),
        ("lose", "loose", False),
        ("later", "latter", False),
        ("diner", "dinner", False),
        ("hello", "helo", False),
        ("привет", "ппрриивет", True),
    ],
)
def test_a_wordlist_reads_repeats(word: str, text: str, found: bool) -> None:
    policy = build_wordlist(Wordlist("w", (word,)))
    assert bool(policy.check([Item(normalize(f"well {text} you"))])[0].matches) is found


@pytest.mark.parametrize(
    ("text", "repeats"),
    [("committee", True), ("bell fell", False), ("see  tree", False), ("", False), ("aabb", True), ("a..b..", False)],
)
def test_repeats_are_told_in_one_word(text: str, repeats: bool) -> None:
    assert has_repeats(text) is repeats
