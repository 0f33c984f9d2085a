"""Which of the interface's endpoints the command line has: by what they manage, and what is done."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["OPERATIONS"]

_PARTS = ("Policies", "Rules", "Triage", "Hashlists", "ExpectedScripts", "AccurateShare")

OPERATIONS: Mapping[str, Mapping[str, str]] = {
    "keys": {
        "list": "listKeys",
        "create": "createKey",
        "create-for-project": "createProjectKey",
        "roll": "rollKey",
        "delete": "deleteKey",
        "activity": "listActivity",
    },
    "members": {"list": "listMembers", "add": "addMember", "update": "updateMember", "remove": "removeMember"},
    "projects": {
        "list": "listProjects",
        "get": "getProject",
        "create": "createProject",
        "update": "updateProject",
        "delete": "deleteProject",
        "duplicate": "duplicateProject",
    },
    "channels": {
        "list": "listChannels",
        "get": "getChannel",
        "create": "createChannel",
        "update": "updateChannel",
        "delete": "deleteChannel",
        "duplicate": "duplicateChannel",
        **{f"get-{part.lower()}": f"getChannel{part}" for part in _PARTS},
        **{f"put-{part.lower()}": f"putChannel{part}" for part in _PARTS},
    },
    "wordlists": {
        "list": "listWordlists",
        "get": "getWordlist",
        "create": "createWordlist",
        "update": "updateWordlist",
        "delete": "deleteWordlist",
        "add-words": "addWords",
        "remove-words": "removeWords",
    },
    "webhooks": {
        "list": "listWebhooks",
        "get": "getWebhook",
        "create": "createWebhook",
        "update": "updateWebhook",
        "delete": "deleteWebhook",
        "secret": "getWebhookSecret",
        "roll-secret": "rollWebhookSecret",
    },
    "events": {"log": "listAttempts", "deliveries": "listDeliveries", "redeliver": "redeliver"},
}
"""The name of each endpoint, by the words that stand for it."""
