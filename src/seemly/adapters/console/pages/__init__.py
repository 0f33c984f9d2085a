"""The pages of the console, one module a subject; each is a table and thin calls of use cases."""

from __future__ import annotations

from seemly.adapters.console.pages import account, authors, decide, items, queues, sign_in
from seemly.adapters.console.visit import Page

__all__ = ["PAGES"]

PAGES: tuple[Page, ...] = (
    *sign_in.PAGES,
    *account.PAGES,
    *queues.PAGES,
    *items.PAGES,
    *decide.PAGES,
    *authors.PAGES,
)
"""Every page."""
