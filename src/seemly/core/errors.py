"""Every exception that seemly raises, in one tree.

    SeemlyError
    ├── ConfigError      a channel, rule, option, registry or tier that cannot work; raised when it is built
    │   └── ModelError   weights that are missing, damaged, or of another version
    ├── ContentError     content that cannot be moderated as it was submitted; the spec's BAD_REQUEST
    ├── DataError        examples that nothing can be measured, fitted or replayed on
    ├── DecodeError      media that is damaged, too large, or of a kind that nothing here reads
    ├── FetchError       a URL that is not fetched, or was not to be had
    ├── PolicyFailed     a policy's result was asked for, or `strict=True` was set, and the policy had failed
    └── ServiceError     a request to the service that is not served
        ├── UnauthorizedError      no key, or one that does not hold
        ├── ForbiddenError         a key that may not do this
        ├── NotFoundError          what is not there, or not for this key
        ├── ConflictError          a key or id that is taken already
        └── TooManyRequestsError   more than a limit or a quota allows

The service's store and server raise a few of their own beneath SeemlyError, which stand where they are raised: what a
database or a busy server cannot do now (StoreUnavailableError, ContendedError, TooBusyError), bodies that are too large
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
    "shorten",
]


def shorten(name: str, length: int = 60) -> str:
    """A name that came with content, fit for a message: at most `length` characters, and printable ASCII."""
    shown = ascii(name)[1:-1]
    return shown if len(shown) <= length else f"{shown[: length - 1]}…"


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing that is wrong with an input: where (`path`, dotted, empty for the whole) and what (`message`)."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message

    def under(self, path: str) -> Issue:
        """The same issue, as seen from the value that holds this one at `path`."""
        return Issue(".".join(filter(None, (path, self.path))), self.message)

    def to_dict(self) -> dict[str, str]:
        """The wire's shape: `{"message": …, "path": …}`."""
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
        """The spec's error body: `code`, `message` and, where there are any, `issues`."""
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
    """Media that is damaged, too large, or of a kind that nothing here reads. The message holds nothing of it."""

    code = "BAD_REQUEST"


class FetchError(SeemlyError):
    """A URL that is not fetched, or was not to be had. The message holds nothing of the URL."""

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
    """What was asked for does not exist, or lies outside what the key reaches."""

    code = "NOT_FOUND"


class ConflictError(ServiceError):
    """A key or id that must be its own is taken already."""

    code = "CONFLICT"


class TooManyRequestsError(ServiceError):
    """More than a limit or a quota allows. `retry_after` is in seconds."""

    code = "TOO_MANY_REQUESTS"

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class PolicyFailed(SeemlyError):  # noqa: N818  (the name that DESIGN gives it)
    """The policy failed on this content, so it has no result; `result.errors` says why."""
