"""The policies that every channel runs unless it says otherwise."""

from __future__ import annotations

from seemly.policies.classifier import CLASSIFIERS
from seemly.registry import Registry

__all__ = ["BUILTIN"]

BUILTIN = Registry(CLASSIFIERS)
"""Every built-in policy, in the order in which they run."""
