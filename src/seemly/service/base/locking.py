"""Projects that stay while something in them changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from seemly.core.errors import NotFoundError
from seemly.service.base.ports import Order, Query, Transaction, Where
from seemly.service.base.records import Project

__all__ = ["hold_project", "hold_projects", "take_project"]


def hold_project(tx: Transaction, project_id: str) -> Project:
    """A project that is not deleted before the transaction ends. Others may hold it too. Raises NotFoundError.

    Whoever adds something to a project, or changes several things in it, holds or locks it before all else. So its
    deletion, which takes it, is alone with what is in it: nothing comes after, and nobody waits in a circle.
    """
    return _find(tx, project_id, "share")


def hold_projects(tx: Transaction, project_ids: Iterable[str], *, wait: bool = True) -> tuple[str, ...]:
    """The ids of those projects that are there still, each held as `hold_project` holds one; unless it may `wait`,
    without those that are being deleted."""
    named = Where("id", "in", tuple(sorted(project_ids)))
    found = tx.find(Project, Query((named,), (Order("id"),), lock="share" if wait else "share_or_skip"))
    return tuple(project.id for project in found)


def take_project(tx: Transaction, project_id: str) -> Project:
    """A project that nobody else holds before the transaction ends, to be deleted. Raises NotFoundError."""
    return _find(tx, project_id, "alone")


def _find(tx: Transaction, project_id: str, lock: Literal["share", "alone"]) -> Project:
    found = tx.find(Project, Query((Where("id", "is", project_id),), lock=lock))
    if not found:
        raise NotFoundError("there is no such project")
    return found[0]
