"""The pages of the console, one module a subject; each is a table and thin calls of use cases."""

from __future__ import annotations

from seemly.adapters.console.pages import (
    account,
    authors,
    channels,
    decide,
    items,
    members,
    overview,
    queues,
    settings,
    sign_in,
)
from seemly.adapters.console.visit import Page, Reply, Visit
from seemly.core.errors import NotFoundError

__all__ = ["PAGES"]


def _refuse(_visit: Visit) -> Reply:
    raise NotFoundError("there is no such page")


PAGES: tuple[Page, ...] = (
    *sign_in.PAGES,
    *account.PAGES,
    *queues.PAGES,
    *items.PAGES,
    *decide.PAGES,
    *authors.PAGES,
    *overview.PAGES,
    *members.PAGES,
    *settings.PAGES,
    *channels.PAGES,
    Page("GET", "/{rest:path}", _refuse),
)
"""Every page."""
