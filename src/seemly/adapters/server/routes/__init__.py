"""The endpoints, one module a resource; each is a table and thin calls of use cases."""

from __future__ import annotations

from seemly.adapters.server.endpoint import Endpoint
from seemly.adapters.server.routes import (
    accounts,
    actions,
    analytics,
    authors,
    channels,
    keys,
    members,
    moderation,
    projects,
    queues,
    reports,
    webhooks,
    wordlists,
)

__all__ = ["ENDPOINTS"]

ENDPOINTS: tuple[Endpoint, ...] = (
    *moderation.ENDPOINTS,
    *actions.ENDPOINTS,
    *queues.ENDPOINTS,
    *reports.ENDPOINTS,
    *authors.ENDPOINTS,
    *analytics.ENDPOINTS,
    *projects.ENDPOINTS,
    *channels.ENDPOINTS,
    *wordlists.ENDPOINTS,
    *webhooks.ENDPOINTS,
    *keys.ENDPOINTS,
    *members.ENDPOINTS,
    *accounts.ENDPOINTS,
)
"""Every endpoint under the prefix."""
