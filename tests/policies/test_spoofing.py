"""The `unicode_spoofing` policy."""

from __future__ import annotations

import pytest

from seemly.core.errors import ConfigError
from seemly.policies.protocol import NOTHING, Finding, Item
from seemly.policies.spoofing import SPEC, SpoofingOptions, UnicodeSpoofing
from seemly.text.normalize import normalize


def check(text: str, *, resolve_spoofs: bool = True, **signals: bool) -> Finding:
    policy = UnicodeSpoofing(SpoofingOptions(signals))
    return policy.check([Item(normalize(text, resolve_spoofs=resolve_spoofs))])[0]


def test_ordinary_text_has_no_finding() -> None:
    assert check("Привет, hello 👋") == NOTHING


def test_matches_carry_the_kind_and_the_text_as_submitted() -> None:
    finding = check("log in at pаypal now")
    assert {match.entity_type for match in finding.matches} == {"mixed_script", "confusable_word"}
    assert {match.match for match in finding.matches} == {"pаypal"}
    assert finding.probability == pytest.approx(1 - 0.2 * 0.2)


def test_more_of_one_kind_is_no_surer() -> None:
    assert check("fu\u200bck sh\u200bit").probability == check("fu\u200bck").probability == pytest.approx(0.8)


def test_signals_can_be_switched_off() -> None:
    finding = check("log in at pаypal now", mixed_script=False)
    assert {match.entity_type for match in finding.matches} == {"confusable_word"}
    assert check("fu\u200bck", invisible=False) == NOTHING


def test_signals_are_reported_where_look_alikes_stay() -> None:
    assert check("pаypal", resolve_spoofs=False).probability > 0.5


def test_unknown_signals_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"signals\.glitter"):
        SpoofingOptions({"glitter": True})


def test_the_policy_flags_only_where_asked() -> None:
    assert SPEC.id == "unicode_spoofing"
    assert SPEC.kind == "classifier"
    assert not SPEC.defaults.flag
