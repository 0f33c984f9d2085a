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
    from seemly.core.channel import (
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
    from seemly.core.content import Audio, Author, Block, ClientAction, Image, Object, Submission, Text, Turn, Video
    from seemly.core.errors import (
        ConfigError,
        ContentError,
        DecodeError,
        FetchError,
        Issue,
        ModelError,
        PolicyFailed,
        SeemlyError,
    )
    from seemly.core.span import Span
    from seemly.core.version import __version__
    from seemly.engine.context import ConversationMemory
    from seemly.engine.engine import Engine, Rejected
    from seemly.engine.explain import Explanation
    from seemly.engine.models import Models
    from seemly.engine.result import MediaResult, ModerationResult, PolicyResult
    from seemly.media.decoding import Decoder
    from seemly.policies.builtin import BUILTIN
    from seemly.policies.profanity.lexicon import censor, contains_profanity
    from seemly.policies.protocol import Defaults, Finding, Item, Label, Match, Policy, Spec
    from seemly.policies.registry import Registry
    from seemly.service.webhooks.signatures import verify_signature
    from seemly.voice.events import Track
    from seemly.voice.session import VoiceSession

_HOMES = {
    "seemly.core.channel": (
        "PRESETS", "Calibration", "Channel", "Condition", "Hashlist", "PolicySettings", "Rule", "Triage", "Wordlist",
    ),
    "seemly.core.content": (
        "Audio", "Author", "Block", "ClientAction", "Image", "Object", "Submission", "Text", "Turn", "Video",
    ),
    "seemly.engine.context": ("ConversationMemory",),
    "seemly.media.decoding": ("Decoder",),
    "seemly.engine.engine": ("Engine", "Rejected"),
    "seemly.core.errors": (
        "ConfigError", "ContentError", "DecodeError", "FetchError", "Issue", "ModelError", "PolicyFailed",
        "SeemlyError",
    ),
    "seemly.engine.explain": ("Explanation",),
    "seemly.engine.models": ("Models",),
    "seemly.policies.builtin": ("BUILTIN",),
    "seemly.policies.protocol": ("Defaults", "Finding", "Item", "Label", "Match", "Policy", "Spec"),
    "seemly.policies.registry": ("Registry",),
    "seemly.engine.result": ("MediaResult", "ModerationResult", "PolicyResult"),
    "seemly.core.span": ("Span",),
    "seemly.service.webhooks.signatures": ("verify_signature",),
    "seemly.voice.events": ("Track",),
    "seemly.voice.session": ("VoiceSession",),
    "seemly.policies.profanity.lexicon": ("censor", "contains_profanity"),
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
        return import_module("seemly.core.version").__version__
    if name not in _HOME_OF:
        raise AttributeError(f"module 'seemly' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
