"""The policies `wordlist:<key>`."""

from __future__ import annotations

import pytest

from seemly.core.channel import Channel, Wordlist
from seemly.core.errors import ConfigError
from seemly.policies.protocol import Finding, Item, NoOptions
from seemly.policies.wordlist import MASK, build_wordlist, spec_for
from seemly.text.normalize import normalize


def check(wordlist: Wordlist, text: str, *allow: Wordlist) -> Finding:
    return build_wordlist(wordlist, allow).check([Item(normalize(text))])[0]


def words(finding: Finding) -> list[str]:
    return [match.match for match in finding.matches]


BLOCK = Wordlist(key="block", words=("spam", "cheap pills", "Zug"))


def test_a_block_list_flags_what_it_finds() -> None:
    finding = check(BLOCK, "Cheap  pills and $pam")
    assert finding.probability == 1.0
    assert words(finding) == ["Cheap  pills", "$pam"]
    assert all(match.flagging and match.mask is None for match in finding.matches)
    assert [dict(match.signals or {})["word"] for match in finding.matches] == ["cheap pills", "spam"]


def test_a_block_list_that_finds_nothing_is_silent() -> None:
    assert check(BLOCK, "an ordinary text") == Finding(0.0)


def test_allowed_spans_suppress_blocked_words_inside_them() -> None:
    allow = Wordlist(key="ok", mode="allow", words=("spam museum",))
    assert check(BLOCK, "the SPAM museum", allow).probability == 0.0
    assert words(check(BLOCK, "spam, not the spam museum", allow)) == ["spam"]


def test_an_allowed_word_does_not_suppress_a_longer_blocked_one() -> None:
    allow = Wordlist(key="ok", mode="allow", words=("pills",))
    assert words(check(BLOCK, "cheap pills", allow)) == ["cheap pills"]


def test_id_lists_have_no_exceptions() -> None:
    ids = Wordlist(key="ids", words=("spam",), match="id")
    allow = Wordlist(key="ok", mode="allow", words=("xspamx",))
    assert check(ids, "xspamx", allow).probability == 1.0


def test_an_allow_list_reports_without_flagging() -> None:
    finding = check(Wordlist(key="ok", mode="allow", words=("fine",)), "fine words")
    assert finding.probability == 0.0
    assert words(finding) == ["fine"]
    assert not any(match.flagging for match in finding.matches)


@pytest.mark.parametrize(("text", "probability"), [("Order #12", 0.0), ("hello", 1.0)])
def test_a_require_list_flags_a_text_without_its_words(text: str, probability: float) -> None:
    assert check(Wordlist(key="need", mode="require", words=("order",)), text).probability == probability


def test_masking() -> None:
    finding = check(Wordlist(key="m", words=("spam",), mask=True), "spam")
    assert finding.matches[0].mask == MASK


def test_bad_entries_are_all_named_by_index() -> None:
    with pytest.raises(ConfigError) as caught:
        build_wordlist(Wordlist(key="bad", words=("fine", "*", "...", "ok")))
    assert [issue.path for issue in caught.value.issues] == ["wordlists.bad.words[1]", "wordlists.bad.words[2]"]


def test_the_spec_builds_with_the_channels_allow_lists() -> None:
    allow = Wordlist(key="ok", mode="allow", words=("spam museum",))
    spec = spec_for(BLOCK)
    assert (spec.id, spec.kind) == ("wordlist:block", "entity_matcher")
    policy = spec.build(NoOptions(), Channel(wordlists=(BLOCK, allow)))
    first, second = policy.check([Item(normalize("spam museum")), Item(normalize("spam"))])
    assert (first.probability, second.probability) == (0.0, 1.0)


@pytest.mark.parametrize("text", ["ＳＰＡＭ", "s\u200bpam", "spám", "sраm", "S P A M", "sp\u0336am"])
def test_spans_are_of_the_text_as_submitted(text: str) -> None:
    finding = check(BLOCK, f"see {text}!")
    assert words(finding) == [text]
