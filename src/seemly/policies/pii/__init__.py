"""The `personal_information` policy: one module a family of entities."""

from seemly.policies.pii.policy import SPEC

__all__ = ["SPEC"]
