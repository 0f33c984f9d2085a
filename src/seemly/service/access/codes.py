"""One-time codes of an authenticator app: TOTP as in RFC 6238, with HMAC-SHA-1, 30 seconds and six digits."""

from __future__ import annotations

import base64
import hmac
import secrets
import struct
from urllib.parse import quote, urlencode

__all__ = ["STEP_MS", "address_of", "find_step", "make_code", "make_secret"]

STEP_MS = 30_000
"""How long a code is the current one, in milliseconds."""

_DRIFT = 1
"""How many steps a clock may differ, before and after."""


def make_secret() -> str:
    """A new secret: 160 random bits in Base32."""
    return base64.b32encode(secrets.token_bytes(20)).decode()


def make_code(secret: str, step: int) -> str:
    """The code of a time step, the number of 30 seconds since 1970."""
    digest = hmac.digest(base64.b32decode(secret), struct.pack(">Q", step), "sha1")
    offset = digest[-1] & 0x0F
    (number,) = struct.unpack(">I", digest[offset : offset + 4])
    return f"{(number & 0x7FFF_FFFF) % 1_000_000:06}"


def find_step(secret: str, code: str, now_ms: int, after: int = 0) -> int | None:
    """The time step, later than `after`, whose code this is, of those that are good now; None where it is of none."""
    given = code.replace(" ", "").encode()
    now = now_ms // STEP_MS
    for step in range(now - _DRIFT, now + _DRIFT + 1):
        if step > after and hmac.compare_digest(make_code(secret, step).encode(), given):
            return step
    return None


def address_of(secret: str, name: str) -> str:
    """The `otpauth://` address that authenticator apps take, for a member of some name."""
    return f"otpauth://totp/{quote(f'seemly:{name}')}?{urlencode({'secret': secret, 'issuer': 'seemly'})}"
