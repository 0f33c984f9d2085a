"""The detectors of all entities, in one place."""

from __future__ import annotations

from seemly.policies.pii import email, national, network, payment, phone

__all__ = ["ALL"]

ALL = (
    *email.DETECTORS,
    phone.DETECTOR,
    *payment.DETECTORS,
    *network.DETECTORS,
    *national.DETECTORS,
)
