"""From whatever a caller hands in to a checked Submission."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from seemly.channel import Action, MetaType, PolicySettings
from seemly.content import (
    MAX_BASE64,
    MAX_CONTENT_ID,
    MAX_TEXT,
    Audio,
    Author,
    ClientAction,
    Content,
    Image,
    Object,
    Part,
    Submission,
    Text,
    Turn,
    Video,
)  # fmt: skip
from seemly.errors import ConfigError, ContentError, Issue
from seemly.frozen import EMPTY

__all__ = ["parse_submission"]

_MEDIA: Mapping[str, type[Image | Video | Audio]] = {"image": Image, "video": Video, "audio": Audio}
_KINDS = "text, image, video, audio or object"


def parse_submission(given: object) -> Submission:
    """A checked Submission from a str, a content object, a Submission, or the wire's dict for any of these.

    Raises ContentError with every issue; each names a field, never what it holds. Unknown keys of a dict are
    ignored.
    """
    if type(given) is str:
        if len(given) <= MAX_TEXT:
            return Submission(content=Text(given))
        given = Text(given)
    reader = _Reader()
    if isinstance(given, Submission):
        submission = given
    elif isinstance(given, str | Text | Image | Video | Audio | Object):
        submission = Submission(content=Text(given) if isinstance(given, str) else given)
    elif isinstance(given, Mapping):
        submission = reader.submission(given)
    else:
        raise ContentError(
            "invalid input data", [Issue("content", f"must be a str, {_KINDS}, a Submission, or the wire's mapping")]
        )
    reader.check(submission)
    if reader.issues:
        raise ContentError("invalid input data", reader.issues)
    return submission


class _Reader:
    """Reads the wire's shapes and gathers what is wrong with them."""

    def __init__(self) -> None:
        self.issues: list[Issue] = []

    def wrong(self, path: str, message: str) -> None:
        self.issues.append(Issue(path, message))

    def submission(self, wire: Mapping[str, Any]) -> Submission:
        if "content" not in wire:
            if "type" not in wire:
                self.wrong("content", "is missing")
            return Submission(content=self.content(wire, "content"))
        return Submission(
            content=self.content(wire["content"], "content"),
            content_id=self.optional(wire, "contentId", str),
            channel=self.optional(wire, "channel", str),
            author_id=self.optional(wire, "authorId", str),
            conversation_id=self.optional(wire, "conversationId", str),
            meta_type=self.choice(wire, "metaType", get_args(MetaType)),
            metadata=self.optional(wire, "metadata", Mapping) or EMPTY,
            timestamp=self.timestamp(wire.get("timestamp")),
            do_not_store=bool(self.optional(wire, "doNotStore", bool)),
            client_action=self.client_action(wire.get("clientAction")),
            policies=self.policies(wire.get("policies")),
        )

    def content(self, wire: object, path: str) -> Content:
        if isinstance(wire, str):
            return Text(wire)
        if isinstance(wire, Text | Image | Video | Audio | Object):
            return wire
        if not isinstance(wire, Mapping):
            self.wrong(path, f"must be a mapping with a type of {_KINDS}")
            return Text("")
        if wire.get("type") != "object":
            return self.part(wire, path)
        data = wire.get("data")
        if not isinstance(data, Mapping):
            self.wrong(f"{path}.data", "must be a mapping of fields")
            return Text("")
        return Object({str(key): self.part(each, f"{path}.data.{key}") for key, each in data.items()})

    def part(self, wire: object, path: str) -> Part:
        if isinstance(wire, str):
            return Text(wire)
        if isinstance(wire, Text | Image | Video | Audio):
            return wire
        kind = wire.get("type") if isinstance(wire, Mapping) else None
        if not isinstance(wire, Mapping) or not isinstance(kind, str):
            self.wrong(f"{path}.type" if isinstance(wire, Mapping) else path, f"must be {_KINDS}")
            return Text("")
        if kind == "text":
            return Text(self.required(wire, "text", path))
        if kind not in _MEDIA:
            nested = kind == "object"
            self.wrong(f"{path}.type", "an object inside an object is not allowed" if nested else f"must be {_KINDS}")
            return Text("")
        if kind == "image" and "data" in wire and "url" not in wire:
            return Image(self.image_bytes(wire["data"], f"{path}.data"))
        return _MEDIA[kind](self.required(wire, "url", path))

    def image_bytes(self, data: object, path: str) -> bytes:
        if not isinstance(data, str):
            self.wrong(path, "must be a base64 string")
        elif len(data) > MAX_BASE64:
            self.wrong(path, f"must have at most {MAX_BASE64:,} characters")
        else:
            try:
                return base64.b64decode(data.partition(",")[2] if data.startswith("data:") else data, validate=True)
            except (binascii.Error, ValueError):
                self.wrong(path, "is not valid base64")
        return b""

    def client_action(self, wire: object) -> ClientAction | None:
        if wire is None:
            return None
        if not isinstance(wire, Mapping):
            self.wrong("clientAction", "must be a mapping with an action")
            return None
        action = self.choice(wire, "action", get_args(Action), "clientAction.")
        behavior = self.choice(wire, "behavior", ("override", "escalate"), "clientAction.")
        if action is None:
            if wire.get("action") is None:
                self.wrong("clientAction.action", "is missing")
            return None
        source = self.optional(wire, "source", str, "clientAction.")
        reason = self.optional(wire, "reason", str, "clientAction.")
        return ClientAction(action, behavior or "escalate", source, reason)

    def policies(self, wire: object) -> tuple[PolicySettings, ...] | None:
        if wire is None:
            return None
        if not isinstance(wire, Sequence) or isinstance(wire, str):
            self.wrong("policies", "must be a list")
            return None
        return tuple(filter(None, (self.settings(each, f"policies.{i}") for i, each in enumerate(wire))))

    def settings(self, wire: object, path: str) -> PolicySettings | None:
        if isinstance(wire, PolicySettings):
            return wire
        if not isinstance(wire, Mapping):
            self.wrong(path, "must be a mapping with an id")
            return None
        known = {key: wire[key] for key in ("id", "flag", "threshold") if key in wire}
        options = wire.get("options", {key: each for key, each in wire.items() if key not in known})
        try:
            return PolicySettings(**{"id": "", **known}, options=options)
        except ConfigError as error:
            self.issues.extend(Issue(f"{path}.{each.path}", each.message) for each in error.issues)
            return None

    def required(self, wire: Mapping[str, Any], key: str, path: str) -> str:
        value = wire.get(key)
        if isinstance(value, str):
            return value
        self.wrong(f"{path}.{key}", "is missing" if value is None else "must be a string")
        return ""

    def optional(self, wire: Mapping[str, Any], key: str, kind: type, prefix: str = "") -> Any:
        value = wire.get(key)
        if value is None or isinstance(value, kind):
            return value
        names = {str: "a string", bool: "true or false", Mapping: "a mapping"}
        self.wrong(prefix + key, f"must be {names[kind]}")
        return None

    def choice(self, wire: Mapping[str, Any], key: str, allowed: tuple[str, ...], prefix: str = "") -> Any:
        value = wire.get(key)
        if value is None or value in allowed:
            return value
        self.wrong(prefix + key, f"must be one of {', '.join(allowed)}")
        return None

    def timestamp(self, value: object) -> float | None:
        if value is None:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool) and value == value:
            return float(value)
        self.wrong("timestamp", "must be a number of Unix milliseconds")
        return None

    def check(self, submission: Submission) -> None:
        content = submission.content
        if isinstance(content, Object):
            if not isinstance(content.data, Mapping):
                self.wrong("content.data", "must be a mapping of fields")
            elif not content.data:
                self.wrong("content.data", "must have at least one field")
            else:
                for key, part in content.data.items():
                    self.check_part(part, f"content.data.{key}")
        else:
            self.check_part(content, "content")
        self.instance(submission.author, Author, "author")
        self.instance(submission.client_action, ClientAction, "clientAction")
        for name, value in (("contentId", submission.content_id), ("authorId", submission.author_id)):
            self.instance(value, str, name)
        if isinstance(submission.content_id, str) and len(submission.content_id) > MAX_CONTENT_ID:
            self.wrong("contentId", f"must have at most {MAX_CONTENT_ID} characters")
        if submission.meta_type is not None and submission.meta_type not in get_args(MetaType):
            self.wrong("metaType", f"must be one of {', '.join(get_args(MetaType))}")
        self.each(submission.history, Turn, "history")
        self.each(submission.policies, PolicySettings, "policies")
        self.limited(submission.client_action, "source", 100)
        self.limited(submission.client_action, "reason", 500)

    def check_part(self, part: object, path: str) -> None:
        if isinstance(part, Text):
            if not isinstance(part.text, str):
                self.wrong(f"{path}.text", "must be a string")
            elif len(part.text) > MAX_TEXT:
                self.wrong(f"{path}.text", f"must have at most {MAX_TEXT:,} characters")
        elif not isinstance(part, Image | Video | Audio):
            self.wrong(path, f"must be {_KINDS}")
        elif part.source is None:
            self.wrong(f"{path}.source", "is missing")

    def instance(self, value: object, kind: type, path: str) -> None:
        if value is not None and not isinstance(value, kind):
            self.wrong(path, f"must be of type {kind.__name__}")

    def each(self, values: object, kind: type, path: str) -> None:
        if values is None:
            return
        if not isinstance(values, tuple | list):
            self.wrong(path, f"must be a tuple of {kind.__name__}")
        elif not all(isinstance(value, kind) for value in values):
            self.wrong(path, f"must hold only {kind.__name__}")

    def limited(self, action: object, key: str, limit: int) -> None:
        value = getattr(action, key, None)
        if isinstance(value, str) and len(value) > limit:
            self.wrong(f"clientAction.{key}", f"must have at most {limit} characters")
