"""The detectors of all entities, in one place."""

from __future__ import annotations

from seemly.policies.pii import (
    address,
    birth,
    credentials,
    crypto,
    documents,
    email,
    handles,
    national,
    network,
    payment,
    phone,
    registers,
    spelled,
)

__all__ = ["ALL"]

ALL = (
    *email.DETECTORS,
    phone.DETECTOR,
    *payment.DETECTORS,
    *network.DETECTORS,
    *national.DETECTORS,
    *registers.DETECTORS,
    *spelled.DETECTORS,
    *crypto.DETECTORS,
    *credentials.DETECTORS,
    *birth.DETECTORS,
    *address.DETECTORS,
    *documents.DETECTORS,
    *handles.DETECTORS,
)
