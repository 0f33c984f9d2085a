"""Signing webhook bodies, and checking them."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly.core.errors import SeemlyError
from seemly.service.base.times import to_iso
from seemly.service.webhooks.schedule import Schedule
from seemly.service.webhooks.signatures import SignatureError, sign, verify_signature

NOW = 1_760_000_000_000
SECRET = "whsec_test"


def write(created: object) -> bytes:
    return json.dumps({"id": "evt_1", "type": "author.blocked", "created": created}).encode()


def check(body: bytes, header: str | None = None, secret: str = SECRET, tolerance: float = 300.0) -> object:
    return verify_signature(body, sign(body, SECRET) if header is None else header, secret, tolerance, lambda: NOW)


def test_the_signature_is_hmac_sha256_in_hexadecimal() -> None:
    # The second test case of RFC 4231.
    expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    assert sign(b"what do ya want for nothing?", "Jefe") == expected


def test_an_event_that_holds_is_returned() -> None:
    assert check(write(to_iso(NOW))) == {"id": "evt_1", "type": "author.blocked", "created": to_iso(NOW)}


@pytest.mark.parametrize(("seconds", "holds"), [(-301, False), (-300, True), (0, True), (300, True), (301, False)])
def test_events_of_another_time_are_refused(seconds: int, holds: bool) -> None:
    body = write(to_iso(NOW + seconds * 1000))
    if holds:
        check(body)
    else:
        with pytest.raises(SignatureError, match="replay"):
            check(body)
    check(body, tolerance=301.0)


def test_the_last_attempt_is_taken_within_the_tolerance_that_is_told() -> None:
    schedule = Schedule()
    late_s = sum(schedule.waits_ms) * (1.0 + schedule.jitter) / 1000.0 + 5.0 * schedule.attempts
    body = write(to_iso(NOW - round(late_s * 1000.0)))
    with pytest.raises(SignatureError, match="replay"):
        check(body)
    check(body, tolerance=1000.0)
    check(write(to_iso(0)), tolerance=math.inf)


@pytest.mark.parametrize("header", ["", "0" * 64, "ünlesbar", "\udcff", sign(b"other", SECRET), " "])
def test_another_signature_is_refused(header: str) -> None:
    with pytest.raises(SignatureError, match="signature"):
        check(write(to_iso(NOW)), header)


def test_no_signature_and_no_secret_are_refused() -> None:
    body = write(to_iso(NOW))
    with pytest.raises(SignatureError, match="signature"):
        verify_signature(body, None, SECRET, now=lambda: NOW)
    with pytest.raises(SignatureError, match="secret is empty"):
        verify_signature(body, sign(body, ""), "", now=lambda: NOW)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff",
        b"[]",
        b"null",
        b"{}",
        b"[" * 100_000,
        write(None),
        write(5),
        write("soon"),
        write("2025-10-09T08:53:20"),
    ],
)
def test_what_is_signed_and_is_no_event_is_refused(body: bytes) -> None:
    with pytest.raises(SignatureError, match=r"no event|time zone"):
        check(body)


def test_the_time_is_now_unless_another_is_given() -> None:
    body = write(to_iso(NOW))
    with pytest.raises(SignatureError, match="replay"):
        verify_signature(body, sign(body, SECRET), SECRET)


def test_the_error_is_one_of_seemly() -> None:
    assert issubclass(SignatureError, SeemlyError)
    assert SignatureError("").code == "UNAUTHORIZED"


@given(at=st.integers(0, 400), bit=st.integers(0, 7))
def test_any_bit_that_changed_is_noticed(at: int, bit: int) -> None:
    body = write(to_iso(NOW))
    changed = bytearray(body)
    changed[at % len(body)] ^= 1 << bit
    with pytest.raises(SignatureError, match="signature"):
        check(bytes(changed), sign(body, SECRET))
