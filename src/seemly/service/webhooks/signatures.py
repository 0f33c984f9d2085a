"""Signatures of webhook bodies: how deliveries are signed, and how a receiver checks them."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from seemly.core.errors import SeemlyError
from seemly.service.base.environment import now as clock

__all__ = ["SignatureError", "sign", "verify_signature"]


class SignatureError(SeemlyError):
    """A webhook body that is not to be trusted: not signed with the secret, not an event, or not of this time."""

    code = "UNAUTHORIZED"


def sign(body: bytes, secret: str) -> str:
    """The HMAC-SHA256 of a body as it is sent, keyed with a project's webhook secret, in lowercase hexadecimal."""
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def verify_signature(
    body: bytes, header: str | None, secret: str, tolerance: float = 300.0, now: Callable[[], int] = clock
) -> Mapping[str, Any]:
    """The event that a webhook request carries, once it is sure that it comes from the service.

    `body` is the request's, raw, before anything parses it; `header` the value of `svc-signature`, None where there is
    none; `secret` the project's webhook secret; `tolerance` how many seconds the event's `created` may lie in the past
    or the future of `now`, in Unix milliseconds. The signature is compared in constant time.

    What is signed is the event alone, and `created` is when it happened, not when it was sent: every attempt carries
    the same. So the five minutes that are usual refuse the last of the five attempts, which comes 10 to 16 minutes
    after the event. A receiver that is to take it too sets `tolerance` to 1000.0; one that is to take what is delivered
    again by hand, which may be as old as the log, sets it to `math.inf`. Either way a request may come twice: whoever
    receives remembers each `id` for as long as it would be taken, and ignores one that was seen.

    Raises SignatureError, whose message says what is wrong and holds nothing of the request, for all that does not
    hold.
    """
    if not secret:
        raise SignatureError("the webhook secret is empty; pass the project's own")
    # As bytes, because compare_digest refuses text that is not ASCII, and a header may hold any.
    if not hmac.compare_digest(sign(body, secret).encode(), (header or "").encode(errors="replace")):
        raise SignatureError(
            "the signature is not that of the body; pass the raw body and the project's webhook secret"
        )
    try:
        event = json.loads(body)
        created = datetime.fromisoformat(event["created"])
        age = now() / 1000.0 - created.timestamp()
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise SignatureError("the body is signed, but is no event") from error
    if created.tzinfo is None:
        raise SignatureError("the event's time has no time zone")
    if not abs(age) <= tolerance:
        raise SignatureError(f"the event is more than {tolerance:g} seconds away from now; it may be a replay")
    found: Mapping[str, Any] = event
    return found
