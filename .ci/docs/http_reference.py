"""Write the page of the HTTP reference from the OpenAPI description, with an example for each resource."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reference import write_table

from seemly.adapters.server.openapi import describe
from seemly.adapters.server.routes import ENDPOINTS

__all__ = ["write_http"]

_EXAMPLES = tomllib.loads((Path(__file__).parent / "http_examples.toml").read_text(encoding="utf-8"))
_PREFIX = "/v1"
_KEYS = {"project": "proj_…", "organization": "sk_org_…"}
_SCHEMES = {"projectKey": "a project key", "organizationKey": "an organization key"}
_LONGEST = 60
"""How many lines of an answer's shape are shown."""

_HEAD = """\
# HTTP reference

`seemly serve` answers at `http://127.0.0.1:8000/v1` ([tutorial](../tutorial/service.md)). A request carries its key as
`Authorization: Bearer KEY`: a project key (`proj_…`) moderates and reviews, an organization key (`sk_org_…`) manages
projects, channels, webhooks, members and keys. Bodies and answers are JSON.

The server gives this description as OpenAPI 3.1 at `/v1/openapi.json`: load it into an API client to try each
endpoint, or generate a client from it. This page is generated from the same description.
[The interface and its tests](../service/interface.md) names the test that covers each rule.

An error has a status and a body `{"type", "code", "message", "request_id", "doc_url", "issues"}`; `issues` lists every
problem of a request with its path. `429` has `Retry-After` in seconds."""


def write_http() -> str:
    """Return the page: an example and the endpoints of each resource."""
    paths = describe(ENDPOINTS, _PREFIX)["paths"]
    by_tag: dict[str, list[tuple[str, str, Mapping[str, Any]]]] = {}
    for path, methods in paths.items():
        for method, operation in methods.items():
            by_tag.setdefault(operation["tags"][0], []).append((method.upper(), path, operation))
    parts = [_HEAD]
    for tag, operations in by_tag.items():
        parts.append(f"## {tag.capitalize()}")
        if tag in _EXAMPLES:
            parts.append(_write_example(_EXAMPLES[tag]))
        rows = [
            (f"[`{method} {path}`](#{operation['operationId'].lower()})", operation["summary"])
            for method, path, operation in operations
        ]
        parts.append(write_table(("endpoint", "what it does"), rows))
        for method, path, operation in operations:
            parts += _write_operation(method, path, operation)
    return "\n\n".join(parts) + "\n"


def _write_example(example: Mapping[str, Any]) -> str:
    """Return the request for curl and for Python, in two tabs."""
    url = f"http://127.0.0.1:8000{_PREFIX}{example['path']}"
    key, body = _KEYS[example["key"]], example.get("body")
    method = "" if example["method"] == ("GET" if body is None else "POST") else f"-X {example['method']} "
    data = "" if body is None else f" \\\n  -H \"Content-Type: application/json\" -d '{json.dumps(body)}'"
    curl = f'curl {method}{url} -H "Authorization: Bearer {key}"{data}'
    given = "" if body is None else f", json={body!r}"
    python = (
        "import httpx\n\n"
        f'headers = {{"Authorization": "Bearer {key}"}}\n'
        f'answer = httpx.{example["method"].lower()}("{url}", headers=headers{given})\n'
        "answer.raise_for_status()\n"
        "answer.json()"
    )
    return f'=== "curl"\n\n{_fence("sh", curl)}\n\n=== "Python"\n\n{_fence("python", python)}'


def _fence(language: str, code: str) -> str:
    lines = [f"```{language}", *code.splitlines(), "```"]
    return "\n".join(f"    {line}" if line else "" for line in lines)


def _write_operation(method: str, path: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield f"### {operation['operationId']}"
    opens = " or ".join(_SCHEMES[name] for each in operation["security"] for name in each)
    statuses = ", ".join(operation["responses"])
    yield f"`{method} {path}` — {operation['summary']}. Takes {opens}. Answers {statuses}."
    queries = [each for each in operation.get("parameters", ()) if each["in"] == "query"]
    if queries:
        rows = [(f"`{each['name']}`", _say(each["schema"]), each["description"]) for each in queries]
        yield write_table(("query parameter", "type", "meaning"), rows)
    if "requestBody" in operation:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        yield "Request body:"
        yield _show_shape(schema)
    answer = next(each for status, each in operation["responses"].items() if status < "3")
    if "content" in answer:
        shape = _show_shape(answer["content"]["application/json"]["schema"])
        yield '??? note "Answer"\n\n' + "\n".join(f"    {line}" for line in shape.splitlines())


def _show_shape(schema: Mapping[str, Any]) -> str:
    lines = list(_shape(schema, ""))
    if len(lines) > _LONGEST:
        lines = [*lines[:_LONGEST], "…"]
    return "\n".join(["```text", *lines, "```"])


def _shape(schema: Mapping[str, Any], indent: str, name: str = "") -> Iterator[str]:
    """Yield one line for each field, nested fields indented; `*` marks a required one."""
    several = [each for each in schema.get("anyOf", ()) if each.get("properties")]
    if "anyOf" in schema and len(several) == 1:
        schema = {**several[0]}
    of = schema.get("items", {}) if schema.get("type") == "array" else {}
    inner = of if of.get("properties") else schema
    if not inner.get("properties"):
        yield f"{indent}{name}{_say(schema)}"
        return
    if name:
        yield f"{indent}{name}{'list of objects' if inner is of else 'object'}"
    required = inner.get("required", ())
    for key, each in inner["properties"].items():
        yield from _shape(each, indent + ("  " if name else ""), f"{key}{'*' if key in required else ''}: ")


def _say(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_say(each) for each in schema["anyOf"]))
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(each) for each in schema["enum"])
    kind = schema.get("type", "any JSON value")
    if kind == "array":
        return f"list of {_say(schema.get('items', {}))}"
    if kind == "object" and schema.get("properties"):
        return "{" + ", ".join(f"{key}: {_say(each)}" for key, each in schema["properties"].items()) + "}"
    bounds = [f"{name} {schema[key]:g}" for key, name in (("minimum", "from"), ("maximum", "to")) if key in schema]
    if "maxLength" in schema:
        bounds = [f"at most {schema['maxLength']} characters"]
    return " ".join([kind if isinstance(kind, str) else " or ".join(kind), *bounds])
