"""The discovery document that Google's clients read before they call Perspective API."""

from __future__ import annotations

from typing import Any

__all__ = ["VERSION", "describe_service"]

VERSION = "v1alpha1"
"""The version of Perspective API."""

_ANY = {"type": "object", "additionalProperties": {"type": "any"}}
_METHODS = {"analyze": "AnalyzeComment", "suggestscore": "SuggestCommentScore"}


def describe_service(address: str) -> dict[str, Any]:
    """The document of the service at an address. Its schemas take any object: the service itself checks requests."""
    root = f"{address.rstrip('/')}/"
    names = [f"{name}{part}" for name in _METHODS.values() for part in ("Request", "Response")]
    return {
        "kind": "discovery#restDescription",
        "discoveryVersion": "v1",
        "id": f"commentanalyzer:{VERSION}",
        "name": "commentanalyzer",
        "version": VERSION,
        "title": "Comment analysis, as Perspective API has it",
        "protocol": "rest",
        "rootUrl": root,
        "servicePath": "",
        "baseUrl": root,
        "batchPath": "batch",
        "parameters": {
            "key": {"type": "string", "location": "query"},
            "alt": {"type": "string", "location": "query", "default": "json"},
        },
        "schemas": {name: {"id": name, **_ANY} for name in names},
        "resources": {
            "comments": {"methods": {method: _describe(method, name) for method, name in _METHODS.items()}},
        },
    }


def _describe(method: str, name: str) -> dict[str, Any]:
    path = f"{VERSION}/comments:{method}"
    return {
        "id": f"commentanalyzer.comments.{method}",
        "path": path,
        "flatPath": path,
        "httpMethod": "POST",
        "parameters": {},
        "parameterOrder": [],
        "request": {"$ref": f"{name}Request"},
        "response": {"$ref": f"{name}Response"},
    }
