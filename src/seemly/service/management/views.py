"""Wire forms of organizations, members, projects, channels, wordlists and keys."""

from __future__ import annotations

from typing import Any

from seemly.core.frozen import thaw
from seemly.service.base.records import Activity, ChannelRecord, Key, Member, Organization, Project, WordlistRecord
from seemly.service.base.times import to_iso
from seemly.service.management.accounts import Account
from seemly.service.management.channels import SETTINGS
from seemly.service.management.keys import Issued
from seemly.service.management.projects import NewProject
from seemly.service.management.wordlists import Change

__all__ = [
    "view_account",
    "view_activity",
    "view_added_words",
    "view_channel",
    "view_embedding_status",
    "view_issued",
    "view_key",
    "view_listed_wordlist",
    "view_member",
    "view_new_project",
    "view_organization",
    "view_project",
    "view_removed_words",
    "view_wordlist",
]


def view_account(account: Account) -> dict[str, Any]:
    """An account. The quotas are in units a calendar month, None for no limit; `current_project` is a project key's."""
    quota = account.organization.quota
    view: dict[str, Any] = {
        "id": account.organization.id,
        "paid_plan_name": account.organization.plan,
        "text_api_quota": quota,
        "remaining_quota": None if quota is None else max(0, quota - account.used),
    }
    if account.project is not None:
        view["current_project"] = {"id": account.project.id, "name": account.project.name}
    return view


def view_organization(organization: Organization) -> dict[str, Any]:
    """An organization."""
    return {
        "id": organization.id,
        "name": organization.name,
        "plan": organization.plan,
        "quota": organization.quota,
        "createdAt": to_iso(organization.created_ms),
    }


def view_member(member: Member) -> dict[str, Any]:
    """A member of an organization."""
    return {
        "id": member.id,
        "name": member.name,
        "email": member.email,
        "role": member.role,
        "createdAt": to_iso(member.created_ms),
    }


def view_channel(record: ChannelRecord) -> dict[str, Any]:
    """A channel: the interface's fields, all of them and no others."""
    return {
        "id": record.id,
        "projectId": record.project_id,
        "key": record.key,
        "name": record.name,
        "isDefault": record.is_default,
        **{name: thaw(record.settings.get(name, default)) for name, default in SETTINGS.items()},
        "createdAt": to_iso(record.created_ms),
        "updatedAt": to_iso(record.updated_ms),
    }


def view_key(key: Key) -> dict[str, Any]:
    """A key, of whose secret there is nothing but the last four letters."""
    return {
        "id": key.id,
        "name": key.name,
        "hint": key.hint,
        "projectId": key.project_id,
        "projects": key.projects,
        "channels": key.channels,
        "projectIds": list(key.project_ids),
        "createdAt": to_iso(key.created_ms),
        "expiresAt": _iso(key.expires_ms),
        "stopsAt": _iso(key.stops_ms),
        "lastUsedAt": _iso(key.last_used_ms),
    }


def view_issued(issued: Issued) -> dict[str, Any]:
    """A key that was just made or rolled, with its secret."""
    return {**view_key(issued.key), "secret": issued.secret}


def view_activity(activity: Activity) -> dict[str, Any]:
    """A change, and the key that made it; None where a member did."""
    return {
        "id": activity.id,
        "keyId": activity.key_id,
        "what": activity.what,
        "targetId": activity.target_id,
        "at": to_iso(activity.at_ms),
    }


def _iso(at_ms: int | None) -> str | None:
    return None if at_ms is None else to_iso(at_ms)


def view_project(project: Project) -> dict[str, Any]:
    """A project, without its secrets."""
    return {
        "id": project.id,
        "name": project.name,
        "description": project.description,
        "domain": project.domain,
        "context": project.context,
        "globalFlaggingMode": project.global_flagging_mode,
        "enableRequestLogging": project.enable_request_logging,
        "casebookEnabled": project.casebook_enabled,
        "rateLimit": project.rate_limit,
        "retentionDays": project.retention_days,
        "createdAt": to_iso(project.created_ms),
        "updatedAt": to_iso(project.updated_ms),
    }


def view_new_project(made: NewProject) -> dict[str, Any]:
    """A project that was just created or duplicated, with its secret key."""
    return {**view_project(made.project), "secretKey": made.secret}


def view_listed_wordlist(record: WordlistRecord) -> dict[str, Any]:
    """A list as it stands among others, without its words."""
    return {
        "id": record.id,
        "key": record.key,
        "name": record.name,
        "description": record.description,
        "projectId": record.project_id,
        "channelId": record.channel_id,
        "createdAt": to_iso(record.created_ms),
    }


def view_wordlist(record: WordlistRecord) -> dict[str, Any]:
    """A list with its settings and words."""
    return {
        **view_listed_wordlist(record),
        "mode": record.settings.get("mode", "block"),
        "match": record.settings.get("match", "word"),
        "mask": record.settings.get("mask", False),
        "words": list(record.words),
    }


def view_added_words(change: Change) -> dict[str, Any]:
    """What adding words came to."""
    return {"addedCount": len(change.words), "totalCount": len(change.wordlist.words), "addedWords": list(change.words)}


def view_removed_words(change: Change) -> dict[str, Any]:
    """What removing words came to."""
    return {
        "removedCount": len(change.words),
        "totalCount": len(change.wordlist.words),
        "removedWords": list(change.words),
    }


def view_embedding_status(record: WordlistRecord) -> dict[str, Any]:
    """How far a list is ready for use: wholly, as its words are matched as they are written, without embeddings."""
    return {"progress": 100, "remainingWords": 0, "totalWords": len(record.words)}
