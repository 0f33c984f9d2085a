"""The doors for clients that were written for other services, opened by a project's key, to its default channel."""

from __future__ import annotations

from fastapi import FastAPI

from seemly.adapters.server.compat import moderations_router, perspective_router
from seemly.adapters.server.parts import Parts
from seemly.adapters.server.slots import Slots
from seemly.engine import Engine
from seemly.errors import NotFoundError
from seemly.service import keys
from seemly.service.records import Project

__all__ = ["add_doors"]


def add_doors(app: FastAPI, parts: Parts, slots: Slots) -> None:
    """Answer Perspective API's and OpenAI's addresses. Each request counts as a moderation and as one unit."""

    def admit(secret: str) -> Project:
        key = keys.authenticate(parts.env, secret)
        project_id = keys.require_moderation(key)
        with parts.env.store.read() as tx:
            project = tx.get(Project, project_id)
        if project is None:
            raise NotFoundError("the project of this key is gone")
        parts.rates.spend("moderation", project.id, project.rate_limit or parts.settings.moderation_rate)
        parts.moderation.count(project, 1)
        return project

    def find_engine(project: Project) -> Engine:
        return parts.moderation.find_engine(project.id)

    for make in (perspective_router, moderations_router):
        app.include_router(make(admit, find_engine, max_body=parts.settings.max_body, run=slots.run))
