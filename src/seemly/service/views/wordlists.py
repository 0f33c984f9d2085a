"""The wire shapes of wordlists."""

from __future__ import annotations

from typing import Any

from seemly.service.events import to_iso
from seemly.service.records import WordlistRecord
from seemly.service.wordlists import Change

__all__ = ["view_added_words", "view_embedding_status", "view_listed_wordlist", "view_removed_words", "view_wordlist"]


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
