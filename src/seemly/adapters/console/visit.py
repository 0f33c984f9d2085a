"""A request to the console, and what a page can answer it with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode

from seemly.adapters.console.explaining import Explanations
from seemly.core.errors import NotFoundError, UnauthorizedError
from seemly.service.access.permissions import Area
from seemly.service.access.sign_in import Hasher
from seemly.service.base.environment import Environment
from seemly.service.base.records import Member, Project
from seemly.service.base.review_records import Session

if TYPE_CHECKING:
    from seemly.adapters.server.state import Parts

__all__ = ["Cookie", "Download", "Empty", "Fields", "Html", "Page", "Redirect", "Reply", "Visit"]

Fields = Mapping[str, list[str]]
"""The fields of a form or a query, each with its values."""

_LONGEST_ID = 200


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie to set; with an empty value, to forget."""

    name: str
    value: str = field(repr=False)
    seconds: int | None = None


@dataclass(frozen=True, slots=True)
class Html:
    """A page made of a template."""

    template: str
    values: Mapping[str, Any] = field(default_factory=dict, repr=False)
    status: int = 200
    cookies: tuple[Cookie, ...] = ()


@dataclass(frozen=True, slots=True)
class Redirect:
    """Another page of the console to go to, by its path beneath the console's own."""

    to: str
    cookies: tuple[Cookie, ...] = ()


@dataclass(frozen=True, slots=True)
class Empty:
    """That it was done, without a page."""


@dataclass(frozen=True, slots=True)
class Download:
    """A file to keep."""

    name: str
    media_type: str
    body: bytes = field(repr=False)


Reply = Html | Redirect | Empty | Download


@dataclass(frozen=True, slots=True)
class Visit:
    """A request: who makes it, in which session, and what they ask for.

    `base` is the path of the console, `token` what its forms carry, `address` where it comes from.
    """

    parts: Parts
    hasher: Hasher
    explanations: Explanations
    base: str
    origin: str
    member: Member | None
    session: Session | None
    token: str = field(repr=False)
    address: str = field(repr=False)
    agent: str = field(repr=False)
    path: Mapping[str, str]
    query: Fields = field(default_factory=dict, repr=False)
    form: Fields = field(default_factory=dict, repr=False)

    @property
    def env(self) -> Environment:
        """The service's environment."""
        return self.parts.env

    @property
    def who(self) -> Member:
        """The member who is signed in. Raises UnauthorizedError."""
        if self.member is None:
            raise UnauthorizedError("you are not signed in; sign in first")
        return self.member

    @property
    def project(self) -> Project:
        """The project of the path. Raises NotFoundError where the member's organization has no such project."""
        with self.env.store.read() as tx:
            project = tx.get(Project, self.id_of("project_id"))
        if project is None or project.organization_id != self.who.organization_id:
            raise NotFoundError("there is no such project")
        return project

    def id_of(self, name: str) -> str:
        """A part of the path. Raises NotFoundError where it can be nobody's id."""
        value = self.path[name]
        if not value or len(value) > _LONGEST_ID or not value.isprintable():
            raise NotFoundError("there is nothing of this id")
        return value

    def asked(self, name: str, default: str = "") -> str:
        """A field of the query, the last of that name."""
        return self.query.get(name, [default])[-1]

    def given(self, name: str, default: str = "") -> str:
        """A field of the form, the last of that name."""
        return self.form.get(name, [default])[-1]

    def query_but(self, *names: str, **changes: object) -> str:
        """The query without some fields and with others in place of its own, as it stands behind a `?`."""
        kept = {name: values for name, values in self.query.items() if name not in (*names, *changes)}
        return urlencode({**kept, **changes}, doseq=True)


@dataclass(frozen=True, slots=True)
class Page:
    """A page as a value: where it is, which area of the console it is in, and what answers it. Without an area it is
    for everyone, signed in or not."""

    method: Literal["GET", "POST"]
    path: str
    run: Callable[[Visit], Reply]
    area: Area | None = "review"
