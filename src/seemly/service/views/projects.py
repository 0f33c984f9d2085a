"""The wire shape of projects."""

from __future__ import annotations

from typing import Any

from seemly.service.events import to_iso
from seemly.service.projects import NewProject
from seemly.service.records import Project

__all__ = ["view_new_project", "view_project"]


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
