"""The policy as a whole: options, masks, spans, threads."""

from __future__ import annotations

import hashlib
import hmac
import sys
from concurrent.futures import ThreadPoolExecutor
from subprocess import run

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from seemly.core.channel import Channel
from seemly.core.errors import ConfigError
from seemly.policies.pii.options import EntitySettings, MaskStyle, PiiOptions
from seemly.policies.pii.policy import ENTITY_TYPES, SPEC, PersonalInformation
from seemly.policies.protocol import Item
from seemly.text.normalize import normalize
from tests.support.pii_search import found, search

MIXED = "jo@x.org or JO@x.org or kim@x.org, call (415) 555-2671"


def masks(text: str, style: MaskStyle) -> list[str | None]:
    return [match.mask for match in search(text, PiiOptions(style=style)).matches]


def test_the_entry_in_the_registry() -> None:
    assert (SPEC.id, SPEC.kind, SPEC.defaults.flag, SPEC.defaults.weight) == (
        "personal_information",
        "entity_matcher",
        True,
        0.6,
    )


def test_options_come_from_json() -> None:
    wire = {"regions": ["US"], "entities": {"phone": {"flag": False, "style": {"kind": "keep_last", "keep": 2}}}}
    options = TypeAdapter(PiiOptions).validate_python(wire)
    assert options.entities["phone"] == EntitySettings(flag=False, style=MaskStyle("keep_last", keep=2))


@pytest.mark.parametrize(
    ("options", "path"),
    [
        (PiiOptions(entities={"emial": EntitySettings()}), "entities.emial"),
        (PiiOptions(regions=("UK",)), "regions.0"),
        (PiiOptions(style=MaskStyle("hash")), "style.salt"),
        (PiiOptions(style=MaskStyle("character", character="")), "style.character"),
        (PiiOptions(entities={"email": EntitySettings(style=MaskStyle(keep=-1))}), "entities.email.style.keep"),
        (PiiOptions(mask_from=1.5), "mask_from"),
    ],
)
def test_options_that_cannot_work_are_refused_when_built(options: PiiOptions, path: str) -> None:
    with pytest.raises(ConfigError) as error:
        SPEC.build(options, Channel(key="test"))
    assert [issue.path for issue in error.value.issues] == [path]


def test_an_unknown_entity_is_told_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"email, .*phone"):
        SPEC.build(PiiOptions(entities={"emial": EntitySettings()}), Channel(key="test"))


def test_masks_by_default() -> None:
    assert [match.mask for match in search(MIXED).matches] == ["{{ email hidden }}"] * 3 + ["{{ phone hidden }}"]
    assert search("card 4111111111111111").matches[0].mask == "{{ payment card hidden }}"


def test_mask_styles() -> None:
    assert masks(MIXED, MaskStyle("template", template="<b>$</b>"))[0] == "<b>jo@x.org</b>"
    assert masks(MIXED, MaskStyle("character", character="#"))[3] == "#" * len("(415) 555-2671")
    assert masks(MIXED, MaskStyle("keep_last", keep=4))[3] == "(***) ***-2671"
    assert masks(MIXED, MaskStyle("pseudonym")) == ["Email 1", "Email 1", "Email 2", "Phone 1"]


def test_a_short_value_never_shows_more_than_half() -> None:
    assert masks("jo@x.org", MaskStyle("keep_last", keep=50)) == ["**@*.org"]


def test_hashes_are_salted_and_agree_for_one_value() -> None:
    first, same, other, _ = masks(MIXED, MaskStyle("hash", salt="pepper"))
    assert first == same == hmac.new(b"pepper", b"email:jo@x.org", hashlib.sha256).hexdigest()[:12]
    assert first != other
    assert first != masks(MIXED, MaskStyle("hash", salt="salt"))[0]


def test_a_disguised_value_has_the_pseudonym_of_the_plain_one() -> None:
    assert masks("jo@gmail.com, jo (at) gmail dot com", MaskStyle("pseudonym")) == ["Email 1", "Email 1"]
    assert masks("call 415-555-2671 or (415) 555 2671", MaskStyle("pseudonym")) == ["Phone 1", "Phone 1"]


def test_entities_are_switched_flagged_and_masked_one_by_one() -> None:
    off = PiiOptions(entities={"email": EntitySettings(enable=False)})
    assert found(MIXED, options=off) == ["(415) 555-2671"]
    quiet = search("jo@x.org", PiiOptions(entities={"email": EntitySettings(flag=False)}))
    assert (quiet.probability, quiet.matches[0].flagging, quiet.matches[0].mask) == (0.0, False, "{{ email hidden }}")
    plain = search("jo@x.org", PiiOptions(entities={"email": EntitySettings(mask=False)}))
    assert (plain.probability > 0.9, plain.matches[0].mask) == (True, None)


def test_a_switched_off_entity_leaves_its_text_to_others() -> None:
    options = PiiOptions(entities={"us_ssn": EntitySettings(enable=False)})
    assert found("ssn 536-22-1234", "us_ssn", options) == []


def test_weak_matches_are_reported_but_neither_masked_nor_likely() -> None:
    match = search("4155552671").matches[0]
    assert match.probability < 0.5
    assert match.mask is None


def test_the_better_checked_of_two_overlapping_wins() -> None:
    assert [m.entity_type for m in search("iban DE89 3704 0044 0532 0130 00").matches] == ["iban"]
    assert [m.entity_type for m in search("card 4111 1111 1111 1111").matches] == ["payment_card"]


def test_personal_data_stays_out_of_reprs() -> None:
    assert "jo@x.org" not in repr(search("jo@x.org"))


def test_every_entity_of_the_issue_is_known() -> None:
    wanted = (
        "email phone payment_card iban bic ip_address mac_address crypto_wallet us_ssn us_itin passport "
        "driving_licence address date_of_birth social_handle credential"
    )
    assert set(wanted.split()) <= set(ENTITY_TYPES)


SEEDS = [
    "jo@gmail.com",
    "(415) 555-2671",
    "4111 1111 1111 1111",
    "DE89370400440532013000",
    "jo (at) gmail dot com",
    "five five five one two three four",
    "my snap is foo_99",
    "ssn 536-22-1234",
    "12 Main Street",
    "born 1/2/1990",
]
HOSTILE = st.text(
    st.sampled_from("a1@.( )-5٣５\u0301\u200d\u200b\ufe0f\u20e3🔥\U0001f1e9\ud800é+#:\n\u0600ß"), max_size=12
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(HOSTILE, st.text(max_size=8), st.sampled_from(SEEDS)), max_size=8).map("".join))
def test_spans_are_exact_ordered_and_apart(text: str) -> None:
    finding = search(text)
    end = 0
    for match in finding.matches:
        assert text[match.span.start : match.span.end] == match.match != ""
        assert match.match == match.match.strip()
        assert 0 <= match.probability <= 1
        assert match.span.start >= end
        end = match.span.end
    assert finding.probability == max((m.probability for m in finding.matches if m.flagging), default=0.0)


def test_one_policy_serves_many_threads() -> None:
    policy = SPEC.build(PiiOptions(regions=("US", "DE")), Channel(key="test"))
    texts = [MIXED, "030 901820", "iban DE89370400440532013000", "nothing here"] * 8
    alone = [policy.check([Item(normalize(text))])[0] for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: policy.check([Item(normalize(text))])[0], texts)) == alone


def test_a_clean_text_loads_neither_phonenumbers_nor_stdnum() -> None:
    code = (
        "import sys; from tests.support.pii_search import search; search('hello there, 3 of us at 10:30');"
        "sys.exit(any(name.split('.')[0] in ('phonenumbers', 'stdnum') for name in sys.modules))"
    )
    assert run([sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path)}, check=False).returncode == 0


@pytest.mark.parametrize(
    "piece",
    ["1", "@", "(", "a@a.", "555-0100 ", "five ", "at dot ", "snap: ", "a\u0301", "1 ", "-----BEGIN PRIVATE KEY-----"],
)
def test_hostile_repetition_is_survived(piece: str) -> None:
    assert 0 <= search(piece * (20_000 // len(piece))).probability <= 1


@pytest.mark.parametrize(
    "text",
    [
        "1" * 60 + "a",
        "one two three " + "1" * 60 + "a",
        "+" + "1" * 60 + "a one two three",
        ("1" * 40 + "x ") * 500,
        ("1-" * 30 + "x ") * 300,
        ("one1" * 20 + "x ") * 300,
    ],
)
def test_digits_that_lead_nowhere_cost_no_more_than_others(text: str) -> None:
    """Shared out between groups in every way, these would not come back."""
    (finding,) = PersonalInformation(PiiOptions()).check([Item(normalize(text))])
    assert all(text[match.span.start : match.span.end] == match.match for match in finding.matches)
