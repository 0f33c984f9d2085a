"""What the service keeps. Times are in Unix milliseconds; fields of JSON are frozen mappings and tuples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from seemly.core.channel import Action as Recommended
from seemly.core.channel import MetaType
from seemly.core.frozen import EMPTY

__all__ = [
    "KINDS", "Action", "ActionRun", "Activity", "Attempt", "Author", "ChannelRecord", "Delivery", "Event", "Item",
    "Key", "Level", "Member", "Organization", "Placement", "Project", "Queue", "Usage", "Webhook", "WordlistRecord",
]  # fmt: skip

Level = Literal["none", "read", "write"]
"""What a key may do with one kind of resource; `write` includes `read`."""

ActionType = Literal[
    "AUTHOR_BLOCK", "AUTHOR_BLOCK_TEMP", "AUTHOR_UNBLOCK", "AUTHOR_DELETE", "AUTHOR_REPORT", "AUTHOR_WARN",
    "AUTHOR_CUSTOM", "ITEM_REJECT", "ITEM_ALLOW", "ITEM_CUSTOM",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Organization:
    """Who owns projects. `quota` is in units a calendar month (a text is 1, an image 3), None for no limit."""

    id: str
    name: str
    created_ms: int
    plan: Literal["standard", "enterprise"] = "enterprise"
    quota: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A person of an organization. Owners and admins hear of failed webhooks and may make keys."""

    id: str
    organization_id: str
    created_ms: int
    name: str = field(default="", repr=False)
    email: str | None = field(default=None, repr=False)
    role: Literal["owner", "admin", "member"] = "member"


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What holds channels, queues, actions and content. `rate_limit` is in moderations a minute, None for no limit;
    content older than `retention_days` is deleted, None for never."""

    id: str
    organization_id: str
    name: str
    created_ms: int
    updated_ms: int
    description: str | None = None
    domain: str | None = None
    context: str | None = None
    brief: str | None = None
    used_by_minors: bool = False
    global_flagging_mode: Literal["ACTIVE", "DRY_RUN"] = "ACTIVE"
    enable_request_logging: bool = True
    casebook_enabled: bool = False
    webhook_secret: str = field(default="", repr=False)
    rate_limit: int | None = None
    retention_days: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelRecord:
    """A channel of a project. `settings` is the wire form of its configuration, without its wordlists, which are
    records of their own. `revision` counts its changes, from 1: an engine is built once for each."""

    id: str
    project_id: str
    key: str
    name: str
    created_ms: int
    updated_ms: int
    is_default: bool = False
    settings: Mapping[str, Any] = EMPTY
    revision: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class WordlistRecord:
    """A list of words of one channel. `settings` are those of `seemly.core.channel.Wordlist` without key and words."""

    id: str
    project_id: str
    channel_id: str
    key: str
    created_ms: int
    name: str | None = None
    description: str | None = None
    words: tuple[str, ...] = field(default=(), repr=False)
    settings: Mapping[str, Any] = EMPTY


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A secret key. Of the key itself there is `digest`, its SHA-256 in hexadecimal, and `hint`, its last four letters.

    A key of a project moderates in it; one of an organization manages, as far as `projects` and `channels` go, the
    projects `project_ids`, or all of them where that is empty. `expires_ms` is its own end, `stops_ms` that of a key
    that was rolled.
    """

    id: str
    organization_id: str
    project_id: str | None
    name: str
    digest: str = field(repr=False)
    hint: str
    created_ms: int
    projects: Level = "none"
    channels: Level = "none"
    project_ids: tuple[str, ...] = ()
    expires_ms: int | None = None
    stops_ms: int | None = None
    last_used_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """A change that was made, and the key that made it."""

    id: str
    organization_id: str
    key_id: str | None
    what: str
    target_id: str
    at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The units that an organization used in a calendar month (UTC): `id` is the organization's and the month."""

    id: str
    organization_id: str
    month: str
    units: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who wrote content of a project. `external_id` is the caller's own id of them, the `authorId` of submissions.

    `level` is the trust level in force, from -1 to 4: `manual_level` where that is set, else computed.
    """

    id: str
    project_id: str
    external_id: str
    first_seen_ms: int
    last_seen_ms: int
    name: str | None = field(default=None, repr=False)
    email: str | None = field(default=None, repr=False)
    company: str | None = field(default=None, repr=False)
    profile_picture: str | None = field(default=None, repr=False)
    external_link: str | None = field(default=None, repr=False)
    metadata: Mapping[str, Any] = field(default=EMPTY, repr=False)
    last_incident_ms: int | None = None
    status: Literal["enabled", "suspended", "blocked"] = "enabled"
    block_until_ms: int | None = None
    block_reason: str | None = field(default=None, repr=False)
    level: int = 0
    manual_level: int | None = None
    total_content: int = 0
    flagged_content: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Content that was moderated and kept. `content_id` is the caller's own id, unique in the project.

    `content` is as it was submitted, in the wire's shape, `text` what stands in it, for searching and as context.
    `labels` are the policies that flagged, and `result` is the whole answer.
    """

    id: str
    project_id: str
    content_id: str
    channel_id: str
    channel_key: str
    created_ms: int
    updated_ms: int
    timestamp_ms: int
    content: Mapping[str, Any] = field(default=EMPTY, repr=False)
    text: str = field(default="", repr=False)
    media_type: Literal["text", "image", "video", "audio", "object"] = "text"
    meta_type: MetaType | None = None
    author_id: str | None = None
    conversation_id: str | None = None
    metadata: Mapping[str, Any] = field(default=EMPTY, repr=False)
    client_action: Mapping[str, Any] | None = field(default=None, repr=False)
    flagged: bool = False
    shadow_flagged: bool = False
    severity: float = 0.0
    action: Recommended = "allow"
    language: str | None = None
    labels: tuple[str, ...] = ()
    result: Mapping[str, Any] = field(default=EMPTY, repr=False)
    status: Literal["pending", "resolved"] = "pending"
    resolved_ms: int | None = None
    resolve_comment: str | None = field(default=None, repr=False)
    reviewer: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A view of a project's items for review: those that meet `filter`, in the wire's shape."""

    id: str
    project_id: str
    name: str
    created_ms: int
    updated_ms: int
    description: str | None = None
    filter: Mapping[str, Any] = EMPTY


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """That an action put an item into a queue whatever its filter says, or took it out. `id` is of both."""

    id: str
    project_id: str
    queue_id: str
    item_id: str
    present: bool
    at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something that moderators can do with items or authors."""

    id: str
    project_id: str
    key: str | None
    name: str
    created_ms: int
    description: str | None = None
    type: ActionType = "ITEM_CUSTOM"
    built_in: bool = False
    position: Literal["ALL_QUEUES", "SOME_QUEUES", "HIDDEN"] = "ALL_QUEUES"
    filter_in_queue_ids: tuple[str, ...] = ()
    queue_behaviour: Literal["REMOVE", "ADD", "NO_CHANGE"] = "NO_CHANGE"
    possible_values: tuple[str, ...] = ()
    free_text: bool = False
    value_required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRun:
    """That an action was executed on an item, an author, or both. `duration_ms` is how long it is to hold."""

    id: str
    project_id: str
    action_id: str
    at_ms: int
    item_id: str | None = None
    author_id: str | None = None
    queue_id: str | None = None
    value: str | None = field(default=None, repr=False)
    comment: str | None = field(default=None, repr=False)
    reviewer: str | None = field(default=None, repr=False)
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """An address that hears of events of some types."""

    id: str
    project_id: str
    name: str
    url: str = field(repr=False)
    created_ms: int
    event_types: tuple[str, ...] = ()
    description: str | None = None
    enabled: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened, and the body that tells of it, byte for byte the same at every attempt. `item_id` and
    `author_id` are whom it tells of: it is deleted with either."""

    id: str
    project_id: str
    type: str
    created_ms: int
    body: str = field(repr=False)
    item_id: str | None = None
    author_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """That a webhook is to hear of an event: after `attempts` attempts the next is due at `next_ms`. While a worker
    tries, no other does before `held_until_ms`."""

    id: str
    project_id: str
    event_id: str
    webhook_id: str
    created_ms: int
    next_ms: int
    attempts: int = 0
    state: Literal["waiting", "delivered", "failed"] = "waiting"
    held_until_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt of a delivery: what was sent, and what came back. `status` is the answer's, None where none came."""

    id: str
    project_id: str
    delivery_id: str
    number: int
    at_ms: int
    duration_ms: int
    url: str = field(repr=False)
    headers: Mapping[str, Any] = field(default=EMPTY, repr=False)
    payload: str = field(default="", repr=False)
    status: int | None = None
    body: str | None = field(default=None, repr=False)
    error: str | None = None


KINDS: tuple[type, ...] = (
    Organization, Member, Project, ChannelRecord, WordlistRecord, Key, Activity, Usage, Author, Item, Queue, Placement,
    Action, ActionRun, Webhook, Event, Delivery, Attempt,
)  # fmt: skip
"""Every kind of record, each after those that its records name in `seemly.service.base.references`."""
