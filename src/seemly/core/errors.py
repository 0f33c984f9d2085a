"""Every exception that seemly raises, in one tree.

    SeemlyError
    ├── ConfigError      a channel, rule, option, registry or tier that cannot work; raised when it is built
    │   └── ModelError   weights that are missing, damaged, or of another version
    ├── ContentError     content that cannot be moderated as it was submitted; the spec's BAD_REQUEST
    ├── DataError        examples that nothing can be measured, fitted or replayed on
    ├── DecodeError      media that is damaged, too large, or of a kind that no decoder reads
    ├── FetchError       a URL that must not be fetched, or could not be
    ├── PolicyFailed     a policy's result was asked for, or `strict=True` was set, and the policy had failed
    └── ServiceError     a request to the service that is not served
        ├── UnauthorizedError      no key, or one that is not valid
        ├── ForbiddenError         a key that may not do this
        ├── NotFoundError          a resource that does not exist, or that this key cannot reach
        ├── ConflictError          a key or id that is taken already
        ├── UnseenError            media that could not be looked at, where there is no answer but a verdict
        └── TooManyRequestsError   more than a limit or a quota allows

The service's store and server raise a few more below SeemlyError, defined in the modules that raise them: a database
or server that cannot answer now (StoreUnavailableError, ContendedError, TooBusyError), bodies that are too large
(BodyTooLargeError), and rates (RateExceededError, a TooManyRequestsError).

Messages and issues name fields, never the content in them, so that they are safe to log.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "ConfigError",
    "ConflictError",
    "ContentError",
    "DataError",
    "DecodeError",
    "FetchError",
    "ForbiddenError",
    "Issue",
    "ModelError",
    "NotFoundError",
    "PolicyFailed",
    "SeemlyError",
    "ServiceError",
    "TooManyRequestsError",
    "UnauthorizedError",
    "UnseenError",
    "shorten",
]


def shorten(name: str, length: int = 60) -> str:
    """Return a name that came with content in a form fit for messages: at most `length` printable ASCII characters."""
    shown = ascii(name)[1:-1]
    return shown if len(shown) <= length else f"{shown[: length - 1]}…"


@dataclass(frozen=True, slots=True)
class Issue:
    """A problem of an input: its place (`path`, dotted, empty for the whole input) and a `message`."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message

    def under(self, path: str) -> Issue:
        """Return the same issue with its path below `path`."""
        return Issue(".".join(filter(None, (path, self.path))), self.message)

    def to_dict(self) -> dict[str, str]:
        """Return the wire form: `{"message": …, "path": …}`."""
        return {"message": self.message, "path": self.path}


class SeemlyError(Exception):
    """The root of the tree. `code` is the spec's error code, `issues` lists every problem that was found."""

    code: ClassVar[str] = "INTERNAL_SERVER_ERROR"

    def __init__(self, message: str, issues: Iterable[Issue] = ()) -> None:
        self.message = message
        self.issues = tuple(issues)
        super().__init__(message, self.issues)

    def __str__(self) -> str:
        return "; ".join([self.message, *map(str, self.issues)])

    def to_dict(self) -> dict[str, Any]:
        """Return the error body: `code`, `message` and, if there are any, `issues`."""
        body: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.issues:
            body["issues"] = [issue.to_dict() for issue in self.issues]
        return body


class ConfigError(SeemlyError, ValueError):
    """A channel, rule, option, registry or tier that cannot work. Raised when it is built, never in a request."""

    code = "BAD_REQUEST"


class ModelError(ConfigError):
    """Weights that are missing, damaged, or of a version that this release does not read."""


class ContentError(SeemlyError, ValueError):
    """Content that cannot be moderated as it was submitted. `issues` names each field that is wrong."""

    code = "BAD_REQUEST"


class DataError(SeemlyError, ValueError):
    """Examples that nothing can be measured, fitted or replayed on. `issues` names rows, from 1, and fields."""

    code = "BAD_REQUEST"


class DecodeError(SeemlyError, ValueError):
    """Media that is damaged, too large, or of a kind that no decoder reads. The message has no content."""

    code = "BAD_REQUEST"


class FetchError(SeemlyError):
    """A URL that must not be fetched, or could not be. The message does not contain the URL."""

    code = "BAD_REQUEST"


class ServiceError(SeemlyError):
    """A request to the service that is not served. The message says which case applies."""


class UnauthorizedError(ServiceError):
    """No key was given, or one that is unknown, expired or deleted."""

    code = "UNAUTHORIZED"


class ForbiddenError(ServiceError):
    """The key may not do this: it is of the wrong kind, lacks a permission, or the plan leaves it out."""

    code = "FORBIDDEN"


class NotFoundError(ServiceError):
    """The resource does not exist, or the key cannot reach it."""

    code = "NOT_FOUND"


class ConflictError(ServiceError):
    """A key or id that must be unique is taken already."""

    code = "CONFLICT"


class UnseenError(ServiceError):
    """Media that could not be looked at, where the answer could only be a verdict on it. `issues` say why."""

    code = "UNPROCESSABLE_CONTENT"


class TooManyRequestsError(ServiceError):
    """More than a limit or a quota allows. `retry_after` is in seconds."""

    code = "TOO_MANY_REQUESTS"

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class PolicyFailed(SeemlyError):  # noqa: N818  (the name that DESIGN gives it)
    """The policy failed on this content, so it has no result; `result.errors` says why."""
