"""An endpoint as a value: where it is, whose key opens it, what it takes and gives, and the use case behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from seemly.core.errors import NotFoundError, SeemlyError
from seemly.service.base.environment import Environment
from seemly.service.base.records import Key
from seemly.service.management import keys

if TYPE_CHECKING:
    from seemly.adapters.server.state import Parts

__all__ = ["Answer", "Call", "Endpoint", "Parameter", "RunMany", "Schema"]

Schema = Mapping[str, Any]
"""A JSON Schema of draft 2020-12, as OpenAPI 3.1 has them."""

Answer = Mapping[str, Any] | list[Any]
"""What an endpoint gives, as JSON."""

_LONGEST_ID = 1_000


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the query: a text, a number, true or false, or several of them."""

    name: str
    schema: Schema
    what: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """One request: whose key it came with, and what it asks for."""

    env: Environment
    parts: Parts
    key: Key
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict, repr=False)
    body: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def project_id(self) -> str:
        """The project of the key. Raises ForbiddenError for an organization's."""
        return keys.require_moderation(self.key)

    def id_of(self, name: str) -> str:
        """A part of the path. Raises NotFoundError where it can be nobody's id."""
        value = self.path[name]
        if len(value) > _LONGEST_ID or "\0" in value:
            raise NotFoundError("there is nothing of this id")
        return value


RunMany = Callable[[Sequence[Call]], Sequence[Answer | SeemlyError]]
"""Does for several calls what an endpoint does for one: for each its answer, or what that would raise, in order."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`name` is the operation's id; `key` says whose key opens it; `takes` and `gives` are the schemas of the bodies.

    Calls by an organization's key count against its rate of management, those by a project's key, with `moderates`,
    against the project's rate of moderations. Fields of the body beyond those that `takes` names are ignored.
    `run_many`, where there is one, is quicker for several calls at once.
    """

    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    name: str
    summary: str
    tag: str
    key: Literal["project", "organization", "any"]
    run: Callable[[Call], Answer]
    gives: Schema
    takes: Schema | None = None
    parameters: tuple[Parameter, ...] = ()
    moderates: bool = False
    run_many: RunMany | None = None
