"""seemly: content moderation in process.

    from seemly import Channel, Engine

    engine = Engine(Channel(key="comments"))
    result = engine.moderate("some text")
    result.recommendation.action        # 'allow', 'review' or 'reject'

Names load when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seemly.builtin import BUILTIN
    from seemly.channel import (
        PRESETS,
        Calibration,
        Channel,
        Condition,
        Hashlist,
        PolicySettings,
        Rule,
        Triage,
        Wordlist,
    )
    from seemly.content import Audio, Author, Block, ClientAction, Image, Object, Submission, Text, Turn, Video
    from seemly.context import ConversationMemory
    from seemly.decode import Decoder
    from seemly.engine import Engine, Rejected
    from seemly.errors import (
        ConfigError,
        ContentError,
        DecodeError,
        FetchError,
        Issue,
        ModelError,
        PolicyFailed,
        SeemlyError,
    )
    from seemly.explain import Explanation
    from seemly.models import Models
    from seemly.policy import Defaults, Finding, Item, Label, Match, Policy, Spec
    from seemly.registry import Registry
    from seemly.result import MediaResult, ModerationResult, PolicyResult
    from seemly.service.signatures import verify_signature
    from seemly.span import Span
    from seemly.version import __version__
    from seemly.voice.events import Track
    from seemly.voice.session import VoiceSession
    from seemly.words.lexicon import censor, contains_profanity

_HOMES = {
    "seemly.channel": (
        "PRESETS", "Calibration", "Channel", "Condition", "Hashlist", "PolicySettings", "Rule", "Triage", "Wordlist",
    ),
    "seemly.content": (
        "Audio", "Author", "Block", "ClientAction", "Image", "Object", "Submission", "Text", "Turn", "Video",
    ),
    "seemly.context": ("ConversationMemory",),
    "seemly.decode": ("Decoder",),
    "seemly.engine": ("Engine", "Rejected"),
    "seemly.errors": (
        "ConfigError", "ContentError", "DecodeError", "FetchError", "Issue", "ModelError", "PolicyFailed",
        "SeemlyError",
    ),
    "seemly.explain": ("Explanation",),
    "seemly.models": ("Models",),
    "seemly.builtin": ("BUILTIN",),
    "seemly.policy": ("Defaults", "Finding", "Item", "Label", "Match", "Policy", "Spec"),
    "seemly.registry": ("Registry",),
    "seemly.result": ("MediaResult", "ModerationResult", "PolicyResult"),
    "seemly.span": ("Span",),
    "seemly.service.signatures": ("verify_signature",),
    "seemly.voice.events": ("Track",),
    "seemly.voice.session": ("VoiceSession",),
    "seemly.words.lexicon": ("censor", "contains_profanity"),
}  # fmt: skip
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "BUILTIN", "PRESETS", "Audio", "Author", "Block", "Calibration", "Channel", "ClientAction", "Condition",
    "ConfigError", "ContentError", "ConversationMemory", "DecodeError", "Decoder", "Defaults", "Engine",
    "Explanation", "FetchError", "Finding", "Hashlist", "Image", "Issue", "Item", "Label", "Match", "MediaResult",
    "ModelError", "Models", "ModerationResult", "Object", "Policy", "PolicyFailed", "PolicyResult",
    "PolicySettings", "Registry", "Rejected", "Rule", "SeemlyError", "Span", "Spec", "Submission", "Text", "Track",
    "Triage", "Turn", "Video", "VoiceSession", "Wordlist", "__version__", "censor", "contains_profanity",
    "verify_signature",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("seemly.version").__version__
    if name not in _HOME_OF:
        raise AttributeError(f"module 'seemly' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
