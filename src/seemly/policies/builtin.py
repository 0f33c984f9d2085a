"""The policies that every channel runs unless it says otherwise."""

from __future__ import annotations

from seemly.policies.classifier import CLASSIFIERS
from seemly.policies.pii.policy import SPEC as PERSONAL_INFORMATION
from seemly.policies.profanity.policy import SPEC as PROFANITY
from seemly.policies.registry import Registry
from seemly.policies.spoofing import SPEC as UNICODE_SPOOFING
from seemly.policies.url.policy import SPEC as URL

__all__ = ["BUILTIN"]

BUILTIN = Registry([*CLASSIFIERS, PROFANITY, PERSONAL_INFORMATION, URL, UNICODE_SPOOFING])
"""Every built-in policy, in the order in which they run."""
