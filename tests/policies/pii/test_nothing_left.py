"""Whatever is masked leaves nothing of the value to read."""

from __future__ import annotations

import ipaddress

import phonenumbers
from hypothesis import given, settings
from hypothesis import strategies as st

from seemly.policies.pii.options import PiiOptions
from tests.support.pii_search import search

OPTIONS = PiiOptions(private_addresses=True)
AFTER = st.sampled_from(["", ".", ", thanks", " and call me", "\nbye", ")", "请", "です", " - cheers", "; see you"])
DIGITS = st.sampled_from("0123456789")


def _examples() -> list[phonenumbers.PhoneNumber]:
    found = (phonenumbers.example_number(region) for region in sorted(phonenumbers.SUPPORTED_REGIONS))
    return [number for number in found if number is not None]


@st.composite
def phones(draw: st.DrawFn) -> str:
    number = draw(st.sampled_from(_examples()))
    written = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL)
    return written.replace(" ", draw(st.sampled_from([" ", "-", ".", "", "\u00a0"])))


@st.composite
def addresses(draw: st.DrawFn) -> str:
    address = ipaddress.IPv6Address(draw(st.integers(2**120, 2**128 - 1)))
    four = str(ipaddress.IPv4Address(draw(st.integers(2**24, 2**32 - 1))))
    return draw(st.sampled_from([str(address), address.exploded, f"::ffff:{four}", f"2a02:8109::1f2c:{four}"]))


@st.composite
def emails(draw: st.DrawFn) -> str:
    local = draw(st.sampled_from(["jo", "d'angelo", "o.brien+news", "müller", "иван", "山田", "J.R.R.T", "user_99"]))
    host = draw(st.sampled_from(["gmail.com", "mail.example.co.uk", "xn--d1acufc.xn--p1ai", "почта.рф", "bücher.de"]))
    return f"{local}@{host}"


@st.composite
def passwords(draw: st.DrawFn) -> str:
    letters = draw(st.text("abcdefghkmnpqrstuvwxyz", min_size=5, max_size=12))
    return letters + draw(DIGITS) + draw(st.sampled_from(["", "!", "!!", "$9", "?", "#x", "&k"]))


def _left(text: str, start: int, end: int) -> str:
    """The letters and digits of `text[start:end]` that are read beside a mask; empty if nothing is masked."""
    masked = [match.span for match in search(text, OPTIONS).matches if match.mask is not None]
    touching = [span for span in masked if span.start < end and span.end > start]
    if not touching:
        return ""
    return "".join(
        char
        for at, char in enumerate(text[start:end], start)
        if char.isalnum() and not any(span.start <= at < span.end for span in touching)
    )


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(
        phones().map(lambda value: ("my phone number is ", value)),
        addresses().map(lambda value: ("my ip is ", value)),
        emails().map(lambda value: ("write to ", value)),
    ),
    AFTER,
)
def test_a_mask_covers_the_whole_value(told: tuple[str, str], after: str) -> None:
    before, value = told
    assert _left(before + value + after, len(before), len(before + value)) == ""


@settings(max_examples=100, deadline=None)
@given(passwords(), st.sampled_from(["", ".", "\nbye", " ok", ", thanks"]))
def test_a_password_is_covered_with_its_last_sign(password: str, after: str) -> None:
    text = f"my password is {password}{after}"
    matches = search(text).matches
    assert matches
    assert password in text[matches[0].span.start : matches[0].span.end]


def test_expiry_and_security_code_are_covered_beside_the_card() -> None:
    text = "card 4111 1111 1111 1111 exp 09/27 cvv 318 thanks"
    assert [match.match for match in search(text).matches] == ["4111 1111 1111 1111", "09/27", "318"]


def test_private_addresses_are_reported_and_neither_flagged_nor_masked() -> None:
    text = "my router is 192.168.1.1 and I am 127.0.0.1"
    assert [(m.match, m.flagging, m.mask) for m in search(text).matches] == [
        ("192.168.1.1", False, None),
        ("127.0.0.1", False, None),
    ]
    assert all(match.flagging and match.mask for match in search(text, OPTIONS).matches)
