"""Authors as the wire has them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from seemly.core.frozen import thaw
from seemly.service.authors.trust import settle_level
from seemly.service.base.records import Author

__all__ = ["as_of", "view_author", "view_brief_author"]


def as_of(author: Author, now_ms: int) -> Author:
    """The author as they stand at a time, in Unix milliseconds: with the level that they have by then, and without a
    suspension that is over."""
    author = settle_level(author, now_ms)
    until = author.block_until_ms
    if author.status != "suspended" or until is None or until > now_ms:
        return author
    return replace(author, status="enabled", block_until_ms=None, block_reason=None)


def view_brief_author(author: Author, now_ms: int) -> dict[str, Any]:
    """The author within a moderation's answer."""
    author = as_of(author, now_ms)
    held = author.status != "enabled"
    return {
        "id": author.id,
        "external_id": author.external_id,
        "status": author.status,
        "block": {"until": author.block_until_ms, "reason": author.block_reason} if held else None,
        "trust_level": {"level": author.level, "manual": author.manual_level is not None},
    }


def view_author(author: Author, now_ms: int) -> dict[str, Any]:
    """The whole author. Times are in Unix milliseconds; what nothing here measures (risk, sentiment) is None."""
    return {
        **view_brief_author(author, now_ms),
        "name": author.name,
        "email": author.email,
        "company": author.company,
        "profile_picture": author.profile_picture,
        "external_link": author.external_link,
        "first_seen": author.first_seen_ms,
        "last_seen": author.last_seen_ms,
        "last_incident": author.last_incident_ms,
        "risk_evaluation": None,
        "metrics": {
            "total_content": author.total_content,
            "flagged_content": author.flagged_content,
            "average_sentiment": None,
        },
        "metadata": thaw(author.metadata),
    }
