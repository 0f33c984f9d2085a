"""From whatever a caller hands in to a checked Submission."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass, replace
from typing import Any

from seemly.core.channel import PolicySettings
from seemly.core.content import (
    MAX_BASE64,
    MAX_FIELDS,
    MAX_TEXT,
    URL_SCHEMES,
    Audio,
    Author,
    ClientAction,
    Content,
    Image,
    Object,
    Part,
    Submission,
    Text,
    Video,
    is_url,
)  # fmt: skip
from seemly.core.errors import ConfigError, ContentError, Issue, shorten
from seemly.core.frozen import EMPTY
from seemly.core.naming import to_camel
from seemly.core.validation import find_issues

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
        given = Submission(
            content=self.content(wire["content"], "content"),
            content_id=wire.get("contentId"),
            channel=wire.get("channel"),
            author_id=wire.get("authorId"),
            conversation_id=wire.get("conversationId"),
            meta_type=wire.get("metaType"),
            timestamp=wire.get("timestamp"),
            do_not_store=False if wire.get("doNotStore") is None else wire["doNotStore"],
            client_action=self.client_action(wire.get("clientAction")),
            policies=self.policies(wire.get("policies")),
        )
        try:
            return replace(given, metadata=EMPTY if wire.get("metadata") is None else wire["metadata"])
        except ContentError as error:
            self.issues.extend(error.issues)
            return given

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
        if len(data) > MAX_FIELDS or not all(isinstance(key, str) for key in data):
            return Object({key: Text("") for key in data})
        return Object({key: self.part(each, f"{path}.data.{shorten(key)}") for key, each in data.items()})

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
        if kind == "image" and wire.get("data") is not None and wire.get("url") is None:
            return Image(self.image_bytes(wire["data"], f"{path}.data"))
        return _MEDIA[kind](self.url(wire, path))

    def url(self, wire: Mapping[str, Any], path: str) -> str:
        """The address of media. A path would let whoever submits content have a file of this machine read."""
        url = self.required(wire, "url", path)
        if isinstance(wire.get("url"), str) and not is_url(url):
            self.wrong(f"{path}.url", f"must begin with one of {', '.join(URL_SCHEMES)}")
        return url

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
        if wire is None or isinstance(wire, ClientAction):
            return wire
        if not isinstance(wire, Mapping):
            self.wrong("clientAction", "must be a mapping with an action")
            return None
        if wire.get("action") is None:
            self.wrong("clientAction.action", "is missing")
            return None
        behavior: Any = "escalate" if wire.get("behavior") is None else wire["behavior"]
        return ClientAction(wire["action"], behavior, wire.get("source"), wire.get("reason"))

    def policies(self, wire: object) -> tuple[PolicySettings, ...] | None:
        if wire is None:
            return None
        if not isinstance(wire, Sequence) or isinstance(wire, str):
            self.wrong("policies", "must be a list")
            return None
        if not wire:
            return None
        return tuple(filter(None, (self.settings(each, f"policies.{i}") for i, each in enumerate(wire))))

    def settings(self, wire: object, path: str) -> PolicySettings | None:
        if isinstance(wire, PolicySettings):
            return wire
        if not isinstance(wire, Mapping):
            self.wrong(path, "must be a mapping with an id")
            return None
        known = {key: wire[key] for key in ("id", "flag", "threshold") if key in wire}
        own = {key: each for key, each in wire.items() if key not in known and key != "options"}
        options = wire.get("options", {})
        if not isinstance(options, Mapping):
            self.wrong(f"{path}.options", "must be a mapping")
            return None
        try:
            return PolicySettings(**{"id": "", **known}, options={**options, **own})
        except ConfigError as error:
            self.issues.extend(each.under(path) for each in error.issues)
            return None

    def required(self, wire: Mapping[str, Any], key: str, path: str) -> str:
        value = wire.get(key)
        if isinstance(value, str):
            return value
        self.wrong(f"{path}.{key}", "is missing" if value is None else "must be a string")
        return ""

    def check(self, submission: Submission) -> None:
        """Everything about a submission that its types alone don't hold it to."""
        content = submission.content
        if isinstance(content, Object):
            self.check_object(content)
        else:
            self.check_part(content, "content")
        self.look_over(submission, "")
        self.look_over(submission.author, "author")
        self.look_over(submission.client_action, "clientAction")
        for i, turn in enumerate(submission.history if isinstance(submission.history, tuple) else ()):
            self.look_over(turn, f"history.{i}")
        if isinstance(submission.author, Author) and submission.author_id != submission.author.id:
            self.wrong("authorId", "names another author than author.id")

    def look_over(self, value: object, path: str) -> None:
        """Check a dataclass against its own annotations; `content` has checks of its own."""
        if is_dataclass(value):
            found = (issue for issue in find_issues(value) if issue.path != "content")
            self.issues.extend(Issue(to_camel(issue.path), issue.message).under(path) for issue in found)

    def check_object(self, content: Object) -> None:
        data = content.data
        if not isinstance(data, Mapping):
            self.wrong("content.data", "must be a mapping of fields")
        elif not data:
            self.wrong("content.data", "must have at least one field")
        elif len(data) > MAX_FIELDS:
            self.wrong("content.data", f"must have at most {MAX_FIELDS:,} fields")
        elif not all(isinstance(key, str) for key in data):
            self.wrong("content.data", "must have strings for keys")
        else:
            for key, part in data.items():
                self.check_part(part, f"content.data.{shorten(key)}")

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
