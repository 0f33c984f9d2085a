"""What the console keeps: who may come in, and what reviewers decide, note and see. Times are in Unix milliseconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from seemly.core.frozen import EMPTY

__all__ = [
    "ChannelVersion", "Claim", "Credential", "Decision", "DecisionState", "Exposure", "Invitation", "Note",
    "Outcome", "Report", "RequestKind", "RequestState", "ReviewRequest", "Session",
]  # fmt: skip

Outcome = Literal["allow", "reject", "remove", "other"]
"""What a decision does to its item: `remove` takes it out of a queue, `other` leaves it there."""

DecisionState = Literal["waiting", "released", "undone", "failed"]

RequestKind = Literal["appeal", "second_opinion"]

RequestState = Literal["open", "upheld", "overturned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """How a member signs in: the hash of a password, and the secret of one-time codes if they use them.

    `id` is the member's. `code_step` is the time step of the last code that was used: none is taken twice.
    """

    id: str
    member_id: str
    password: str = field(repr=False)
    updated_ms: int
    code_secret: str | None = field(default=None, repr=False)
    code_step: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A browser in which a member is signed in. `digest` is the SHA-256 of its cookie, `agent` the browser's name."""

    id: str
    member_id: str
    digest: str = field(repr=False)
    created_ms: int
    expires_ms: int
    used_ms: int
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """A link by which a member sets a password, once. `digest` is the SHA-256 of its secret."""

    id: str
    member_id: str
    digest: str = field(repr=False)
    created_ms: int
    expires_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a reviewer decided of one item, or of an author alone.

    It waits until `release_ms`, and can be undone until then; then the action is executed. Decisions of one
    `batch_id` are released and undone together. `policy` is the policy or reason that was cited, `spent_ms` how long
    the item was looked at.
    """

    id: str
    project_id: str
    batch_id: str
    member_id: str
    action_id: str
    at_ms: int
    release_ms: int
    item_id: str | None = None
    author_id: str | None = None
    queue_id: str | None = None
    outcome: Outcome = "other"
    state: DecisionState = "waiting"
    value: str | None = field(default=None, repr=False)
    comment: str | None = field(default=None, repr=False)
    policy: str | None = None
    duration_ms: int | None = None
    spent_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """That a member has an item open, until `until_ms`. `id` is the item's."""

    id: str
    project_id: str
    item_id: str
    member_id: str
    until_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What a member wrote down about an item, for other members."""

    id: str
    project_id: str
    item_id: str
    member_id: str
    at_ms: int
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """How many items a member opened on a day (UTC): `severe` of a severity of 0.9 or more, `marked` of 0.5 or more,
    `mild` of less. `id` is the member's and the day."""

    id: str
    member_id: str
    day: str
    mild: int = 0
    marked: int = 0
    severe: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """That a user reported content. `reporter_id` is the caller's own id of the user."""

    id: str
    project_id: str
    item_id: str
    at_ms: int
    reporter_id: str | None = field(default=None, repr=False)
    reason: str | None = field(default=None, repr=False)
    comment: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest:
    """That an item is to be looked at by somebody else than `not_member_id`: since its author appeals, or since that
    member asks for a second opinion.

    `former` is the action that was in force then. Once it is answered, `state` says whether that was kept.
    """

    id: str
    project_id: str
    item_id: str
    at_ms: int
    former: str
    kind: RequestKind = "appeal"
    message: str | None = field(default=None, repr=False)
    author_id: str | None = None
    not_member_id: str | None = None
    state: RequestState = "open"
    answered_by: str | None = None
    answered_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelVersion:
    """What a channel's settings were, until they were changed at `at_ms`, `by` whom and with which `note`."""

    id: str
    project_id: str
    channel_id: str
    revision: int
    at_ms: int
    by: str = ""
    note: str | None = field(default=None, repr=False)
    settings: Mapping[str, Any] = field(default=EMPTY, repr=False)
