"""Policies that come with a request, in the interface's shapes: `pii` and `url` with `entities`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from seemly.core.errors import ContentError, Issue
from seemly.service.base.requests import Body

__all__ = ["PII", "name_as_sent", "read_overrides"]

PII = "pii"
"""The interface's other name of `personal_information`, by which requests say how each entity is masked."""

_ENGINES: Mapping[object, str] = {PII: "personal_information"}


def read_overrides(request: object) -> object:
    """A request whose `policies` are those of the engine: entities become the policies' own options.

    Raises ContentError with every entity that is wrong.
    """
    given = request.get("policies") if isinstance(request, Mapping) else None
    if not isinstance(request, Mapping) or not isinstance(given, Sequence) or isinstance(given, str):
        return request
    issues: list[Issue] = []
    policies = [_read(each, f"policies.{i}", issues) for i, each in enumerate(given)]
    if issues:
        raise ContentError("invalid input data", issues)
    return {**request, "policies": policies}


def name_as_sent(error: ContentError, request: object) -> ContentError:
    """The error, whose paths lead to the fields of `policies` as the request has them."""
    given = request.get("policies") if isinstance(request, Mapping) else None
    if not isinstance(given, Sequence):
        return error
    return ContentError(error.message, [Issue(_path_as_sent(each.path, given), each.message) for each in error.issues])


def _read(wire: object, path: str, issues: list[Issue]) -> object:
    if not isinstance(wire, Mapping) or wire.get("id") not in (PII, "url"):
        return wire
    if wire.get("entities") is None:
        return {**wire, "id": _ENGINES.get(wire["id"], "url")}
    body = Body(wire, path, issues)
    names = wire["entities"] if isinstance(wire["entities"], Mapping) else {}
    entities = body.part("entities")
    read = {name: _read_entity(entities.part(name)) for name in names}
    rest = {name: each for name, each in wire.items() if name != "entities"}
    if wire["id"] == PII:
        return {**rest, "id": _ENGINES[PII], "entities": {name: _as_pii(*each) for name, each in read.items()}}
    for name in read.keys() - {"url"}:
        entities.wrong(name, "unknown entity; the only one is url")
    flag, masks, mask = read.get("url", (None, None, None))
    told = {"flag": flag, "mask": masks, "mask_text": mask}
    return {**{name: each for name, each in told.items() if each is not None}, **rest}


def _read_entity(body: Body) -> tuple[bool | None, bool | None, str | None]:
    """Whether an entity flags, whether it is masked, and with what. One that is not enabled does neither."""
    enable = body.flag("enable", True)
    flag = body.flag("flag", None)
    masks = body.flag("shouldMask", None)
    mask = body.text("mask", None, most=200)
    masks = True if masks is None and mask is not None else masks
    return (flag, masks, mask) if enable else (False, False, mask)


def _as_pii(flag: bool | None, masks: bool | None, mask: str | None) -> dict[str, Any]:
    style = None if mask is None else {"kind": "template", "template": mask}
    told = {"flag": flag, "mask": masks, "style": style}
    return {name: each for name, each in told.items() if each is not None}


def _path_as_sent(path: str, given: Sequence[Any]) -> str:
    """The engine names a policy by its id, and an option without saying where it stood."""
    match path.split("."):
        case ["policies", policy, name, *rest]:
            for i, each in enumerate(given):
                if isinstance(each, Mapping) and policy in _names(each.get("id")):
                    where = [] if name in each else ["options"]
                    return ".".join(["policies", str(i), *where, name, *rest])
    return path


def _names(policy: object) -> tuple[str, ...]:
    """What a policy is called: as it was sent, and by the engine."""
    return (policy, _ENGINES.get(policy, policy)) if isinstance(policy, str) else ()
