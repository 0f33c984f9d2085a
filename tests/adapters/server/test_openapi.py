"""The server held against its own description: every endpoint, by requests that schemathesis makes up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

pytest.importorskip("schemathesis", reason="needs schemathesis: pip install schemathesis")
pytest.importorskip("fastapi", reason='needs "seemly[server]"')

from seemly.adapters.server.app import PREFIX
from seemly.adapters.server.openapi import describe
from seemly.adapters.server.routes import ENDPOINTS
from tests.support.service_server import serving

ROOT = Path(__file__).parents[3]

ACCEPTED = ["2xx", "401", "403", "404", "409", "429"]

REFUSED = {
    "executeAction": "an action takes content or authors, and a value or none: which, its id alone says",
    "executeActionById": "as executeAction",
    "createAction": "a webhook's id is that of one of the project",
    "updateAction": "as createAction",
    "listAuthors": "page and pageNumber are not given together",
    "listItems": "as listAuthors; nor is sort with sortField or sortDirection",
    "removeWords": "words are in the body or, where there is none, in the query",
    "createKey": "projectIds must be those of projects that there are",
    "addMember": "an e-mail address has no characters that cannot be printed",
    "updateMember": "as addMember; and one owner is left",
    "removeMember": "one owner is left",
    "deleteChannel": "the default channel cannot be deleted",
    "createWordlist": "a word must have a letter or digit of some script",
    "updateWordlist": "as createWordlist",
    "addWords": "as createWordlist",
    "putChannelPolicies": "ids and options are those of the policies that there are",
    "putChannelRules": "a field must be known, and its value fit the operator",
    "putChannelTriage": "review must not be above reject",
    "putChannelHashlists": "hashes are of hexadecimal digits, and no file of the server may be named",
    "putChannelExpectedScripts": "the names of scripts are Unicode's",
    "putChannelExpectedLanguages": "the codes are those of ISO 639-1",
    "moderate": "what else a policy is told must be an option that it has",
    "moderateImage": "the server fetches nothing, so that no image of an address is looked at",
}
"""Endpoints that may answer 400 or 422 to what fits their schema, and what else they ask of it, which no schema says."""


def test_the_description_is_openapi() -> None:
    description = describe(ENDPOINTS, PREFIX)
    assert json.loads(json.dumps(description)) == description
    assert description["openapi"] == "3.1.0"
    others = {"/v1/moderations", "/v1alpha1/comments:analyze", "/v1alpha1/comments:suggestscore", "/v1/stream"}
    assert others <= description["paths"].keys()
    operations = [each for name, path in description["paths"].items() if name not in others for each in path.values()]
    assert len({each["operationId"] for each in operations}) == len(operations) == len(ENDPOINTS)
    for each in operations:
        for schema in find_schemas(each):
            jsonschema.Draft202012Validator.check_schema(schema)


def test_every_request_that_is_made_up_is_answered_as_described(tmp_path: Path) -> None:
    assert REFUSED.keys() <= {each.name for each in ENDPOINTS}
    config = tmp_path / "schemathesis.toml"
    config.write_text(make_config(), encoding="utf-8")
    with serving(tmp_path) as service:
        run = subprocess.run(
            [
                sys.executable,
                "-c",
                "from schemathesis.cli import schemathesis; schemathesis()",
                f"--config-file={config}",
                "run",
                f"{service.url}{PREFIX}/openapi.json",
                "--checks=all",
                "--exclude-path-regex=(moderations|comments:.*|/stream)$",
                "--phases=coverage,fuzzing,stateful",
                "--max-examples=2",
                "--workers=1",
                "--continue-on-failure",
                "--seed=1",
                "--no-color",
            ],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
                "SCHEMATHESIS_HOOKS": "tests.support.openapi_hooks",
                "SEEMLY_TEST_DATABASE": f"sqlite:///{tmp_path / 'seemly.db'}",
            },
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )
    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr[-2_000:]
    assert f"Tested: {len(ENDPOINTS)}" in run.stdout


def find_schemas(operation: Any) -> list[Any]:
    bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
    found = [content["schema"] for body in bodies for content in body.get("content", {}).values()]
    return found + [each["schema"] for each in operation["parameters"]]


def make_config() -> str:
    lines = ["[generation]", "allow-x00 = false  # null characters are refused, which no schema says", ""]
    for name, reason in REFUSED.items():
        lines += [
            f"# {reason}",
            "[[operations]]",
            f'include-operation-id = "{name}"',
            f"checks.positive_data_acceptance.expected-statuses = {json.dumps([*ACCEPTED, '400', '422'])}",
            "",
        ]
    return "\n".join(lines)
