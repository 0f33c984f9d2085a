"""Results as lines of JSON, whole or by the paths that were asked for."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from seemly.errors import ConfigError, Issue
from seemly.result import ContentResult, Evaluation, Meta, PolicyResult, Recommendation, Trace

if TYPE_CHECKING:
    from seemly.cli.readers import Place
    from seemly.explain import Explanation
    from seemly.result import ModerationResult

__all__ = ["check_paths", "pick", "to_line"]


def to_line(
    place: Place,
    result: ModerationResult,
    explanation: Explanation | None = None,
    *,
    paths: Sequence[str] = (),
    extended: bool = False,
) -> str:
    """One line of ASCII JSON: where the input stood, then the result, or only what `paths` name."""
    wire = result.to_dict(extended=extended)
    if explanation is not None:
        wire["explanation"] = explanation.to_dict()
    return json.dumps(place.to_dict() | ({path: pick(wire, path) for path in paths} if paths else wire))


def pick(value: Any, path: str) -> Any:
    """What stands at a dotted path, None where there is nothing.

    An entry of a list is named by its `id` or its index: `policies.hate.probability`, `policies.0.id`.
    """
    if not path:
        return value
    if isinstance(value, list):
        named = {str(each["id"]): each for each in value if isinstance(each, Mapping) and "id" in each}
        value = {str(i): each for i, each in enumerate(value)} | named
    if not isinstance(value, Mapping):
        return None
    for key in sorted(value, key=len, reverse=True):
        if path == key or path.startswith(f"{key}."):
            return pick(value[key], path[len(key) + 1 :])
    return None


def check_paths(paths: Sequence[str], policies: Collection[str], *, extended: bool, explained: bool) -> None:
    """Raise a ConfigError that lists each path that no result could have."""
    shape = _shape(extended=extended, explained=explained)
    issues = [Issue(path, problem) for path in paths if (problem := _problem(path, shape, policies))]
    if issues:
        raise ConfigError("--fields names what no result has", issues)


def _shape(*, extended: bool, explained: bool) -> dict[str, tuple[str, ...]]:
    """The keys of a result, and the keys below each; none given means that any may stand there."""
    below: dict[str, Any] = {
        "content": ContentResult,
        "evaluation": Evaluation,
        "recommendation": Recommendation,
        **({"trace": Trace} if extended else {}),
    }
    shape = {name: tuple(each.name for each in dataclasses.fields(kind)) for name, kind in below.items()}
    meta = [each.name for each in dataclasses.fields(Meta) if extended or each.name != "versions"]
    shape["meta"] = tuple("processing_time" if name == "processing_ms" else name for name in meta)
    return (
        shape
        | dict.fromkeys(("author", "policies", "insights", "errors"), ())
        | ({"explanation": ("decision", "policies")} if explained else {})
    )


def _problem(path: str, shape: Mapping[str, tuple[str, ...]], policies: Collection[str]) -> str | None:
    head, _, rest = path.partition(".")
    if head not in shape:
        return f"there is no {head!r}; there are {', '.join(shape)}"
    known = shape[head]
    if known and rest and rest.partition(".")[0] not in known:
        return f"{head} has {', '.join(known)}"
    return _policy_problem(rest, policies) if head == "policies" and rest else None


def _policy_problem(rest: str, policies: Collection[str]) -> str | None:
    named = [each for each in policies if rest == each or rest.startswith(f"{each}.")]
    if not named and not rest.partition(".")[0].isdecimal():
        return f"no policy of that name runs; there are {', '.join(policies)}, or an index"
    key = max(named, key=len) if named else rest.partition(".")[0]
    below = rest[len(key) + 1 :].partition(".")[0]
    known = [each.name for each in dataclasses.fields(PolicyResult)]
    return f"a policy has {', '.join(known)}" if below and below not in known else None
