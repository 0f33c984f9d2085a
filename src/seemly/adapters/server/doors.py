"""The doors for clients that were written for other services, opened by a project's key, to its default channel."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.requests import Request

from seemly.adapters.server.compat import moderations_router, perspective_router
from seemly.adapters.server.parts import Parts
from seemly.adapters.server.rates import RateExceededError, count_moderation
from seemly.adapters.server.slots import Slots
from seemly.engine import Engine
from seemly.service import keys
from seemly.service.accounts import find_organization, require_quota
from seemly.service.records import Project

__all__ = ["add_doors"]


def add_doors(app: FastAPI, parts: Parts, slots: Slots) -> None:
    """Answer Perspective API's and OpenAI's addresses. Each request counts once against the project's rate, and what it
    is answered about against the organization's quota, as `/moderate` counts it."""

    def admit(secret: str, request: Request) -> Project:
        project_id = keys.require_moderation(keys.authenticate(parts.env, secret))
        try:
            project, request.state.allowance = count_moderation(parts, project_id)
        except RateExceededError as error:
            request.state.allowance = error.allowance
            raise
        with parts.env.store.read() as tx:
            require_quota(parts.env, tx, find_organization(tx, project.organization_id))
        return project

    def find_engine(project: Project) -> Engine:
        return parts.moderation.find_engine(project.id)

    for make in (perspective_router, moderations_router):
        app.include_router(
            make(
                admit,
                find_engine,
                count=parts.moderation.count,
                max_body=parts.settings.max_body,
                timeout=parts.settings.timeout,
                run=slots.run,
            )
        )
