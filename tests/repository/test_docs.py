"""The README and the documentation say what the code does: every block is run here, and generated parts are current."""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any, get_args

import pytest
from benchmarks import report

from seemly import BUILTIN, PRESETS, Channel, Engine
from seemly.cli.main import main
from seemly.cli.streams import Console
from seemly.core.channel import Operator
from seemly.engine.rules import PLAIN_FIELDS
from seemly.policies.pii.detectors import ALL
from seemly.policies.url.risk import WEIGHTS
from tests.support.documents import Block, find_missing, read_blocks, run_block, shown_values, skip_without_extras

ROOT = Path(__file__).parents[2]
GENERATORS = ROOT / ".ci/docs"
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
}
BLOCKS = {page: list(read_blocks(page, text)) for page, text in PAGES.items()}
SERVER = "http://127.0.0.1:8000"
"""Code with this address needs a server."""

OFFLINE = ("moderate", "explain", "init", "evaluate", "calibrate", "replay", "policies", "schema")
"""The commands that need nothing but files of the examples."""


def pages_with(language: str) -> list[str]:
    return [page for page, blocks in BLOCKS.items() if any(block.language == language for block in blocks)]


# What a page does to its server, a later line of the page counts on: one process runs them all, in order.
pytestmark = pytest.mark.xdist_group("docs")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    support = pytest.importorskip("tests.support.service_server", reason='needs "seemly[server]"')
    with support.serving(tmp_path_factory.mktemp("service")) as service:
        yield service


def fill_in(code: str, request: pytest.FixtureRequest) -> str:
    """Put the address, keys and ids of a server that runs in the place of those shown."""
    if SERVER not in code:
        return code
    service = request.getfixturevalue("served")
    shown = {
        SERVER: service.url,
        "proj_…": service.project_key,
        "sk_org_…": service.organization_key,
        "PROJECT_ID": service.project_id,
        "CHANNEL_ID": service.channel_id,
    }
    for text, real in shown.items():
        code = code.replace(text, real)
    return code


def run_python(blocks: list[Block], request: pytest.FixtureRequest) -> list[str]:
    """Run the Python blocks of a page as one script; return a line for each value that is not as shown."""
    runnable = [block for block in blocks if block.language == "python" and find_missing(block.code) is None]
    if not runnable:
        pytest.skip("every block needs an extra that is not installed")
    names: dict[str, Any] = {"__name__": "documentation"}
    with ExitStack() as stack:
        wrong = [
            line for block in runnable for line in run_block(block._replace(code=fill_in(block.code, request)), names)
        ]
        for value in names.values():
            if isinstance(value, AbstractContextManager):  # a client of HTTP: a script's end closes it
                stack.callback(value.__exit__, None, None, None)
    return wrong


@pytest.mark.parametrize("page", pages_with("python"))
def test_python_gives_what_it_shows(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    wrong = run_python(BLOCKS[page], request)
    assert not wrong, "\n".join(wrong)


def test_the_documentation_shows_values() -> None:
    blocks = [block for each in BLOCKS.values() for block in each if block.language == "python"]
    assert sum(len(shown_values(block.code)) for block in blocks) >= 80


@pytest.mark.parametrize("code", ["1 + 1  # → 3\n", "print('a')  # → b\n", "x = [\n    1,  # → 1\n]\n"])
def test_a_block_that_shows_a_wrong_value_is_found(code: str) -> None:
    assert run_block(Block("page.md", "python", 1, code), {})


def test_blocks_within_tabs_are_read() -> None:
    (block,) = read_blocks("page.md", '=== "Python"\n\n    ```python\n    if 1:\n        2\n    ```\n')
    assert block == ("page.md", "python", 4, "if 1:\n    2\n")


def gather_commands(start: str) -> list[str]:
    """The command lines of the pages that begin so, each once, continued lines joined."""
    blocks = [block for each in BLOCKS.values() for block in each if block.language == "sh"]
    lines = [line for block in blocks for line in block.code.replace("\\\n", " ").splitlines()]
    return sorted({line for line in lines if re.match(start, line)})


@pytest.mark.parametrize("line", gather_commands(f"seemly ({'|'.join(OFFLINE)})"))
def test_commands_run(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skip_without_extras(line)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "channel.toml").write_text('key = "comments"\n', encoding="utf-8")
    (tmp_path / "draft.toml").write_text('key = "draft"\ntriage = "strict"\n', encoding="utf-8")
    command, _, _ = line.partition(" > ")
    arguments = shlex.split(command, comments=True)[1:]
    if arguments[0] == "init":
        (tmp_path / "channel.toml").unlink()
    out, err = io.StringIO(), io.StringIO()
    code = main(arguments, Console(io.BytesIO(), out, err))
    assert code in (0, 1, 3), err.getvalue()
    assert out.getvalue() or arguments[0] == "init"


def run_curl(line: str, request: pytest.FixtureRequest) -> Any:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    words = shlex.split(fill_in(line, request), comments=True)
    done = subprocess.run([*words, "-sS", "--fail-with-body"], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    return json.loads(done.stdout)


@pytest.mark.parametrize("line", gather_commands(rf"curl .*{re.escape(SERVER)}"))
def test_requests_of_curl_are_answered(line: str, request: pytest.FixtureRequest) -> None:
    assert run_curl(line, request)


def test_the_http_reference_is_answered(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    pytest.importorskip("fastapi", reason='needs "seemly[server]"')
    monkeypatch.syspath_prepend(str(GENERATORS))
    from http_reference import write_http

    page = write_http()
    blocks = list(read_blocks("reference/http.md", page))
    python = [block for block in blocks if block.language == "python"]
    assert len(python) == len(read_toml("http_examples"))
    assert run_python(python, request) == []
    for block in blocks:
        if block.language == "sh":  # what Python made has its name already
            renamed = block.code.replace("\\\n", " ").replace('"u2"', '"u3"').replace('"unwanted"', '"unwanted-2"')
            assert isinstance(run_curl(renamed, request), dict | list)


TOML = [block for blocks in BLOCKS.values() for block in blocks if block.language == "toml"]


@pytest.mark.parametrize("block", TOML, ids=lambda block: f"{block.page}:{block.line}")
def test_channel_files_work(block: Block) -> None:
    channel = Channel.parse(tomllib.loads(block.code))
    assert Engine(channel).moderate("hello").errors == ()


def read_toml(name: str) -> dict[str, Any]:
    return tomllib.loads((GENERATORS / f"{name}.toml").read_text(encoding="utf-8"))


def test_the_reference_has_a_sentence_for_each_name() -> None:
    words = read_toml("words")
    assert {spec.id for spec in BUILTIN} <= set(words["policies"])
    assert {name for detector in ALL for name in detector.entity_types} <= set(words["entities"])
    assert set(WEIGHTS) <= set(words["url"])


def test_generated_pages_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(GENERATORS))
    import reference

    policies = reference.TABLES["policies"]()
    assert all(f"| `{spec.id}` |" in policies for spec in BUILTIN)
    assert all(f"| `{name}` | {each.review:g}" in reference.TABLES["presets"]() for name, each in PRESETS.items())
    assert "`expectedScripts`" in reference.write_channel_schema()
    assert "## seemly moderate" in reference.write_command_line()
    markers = {name for text in PAGES.values() for name in re.findall(r"<!-- table: (\w+) -->", text)}
    assert markers == set(reference.TABLES)


def test_the_tables_of_rules_are_the_code() -> None:
    fields, operators = PAGES["docs/reference/rules.md"].split("## Operators")
    assert set(PLAIN_FIELDS) <= set(re.findall(r"`([^`]+)`", fields))
    names = {name for row in operators.splitlines() if row.startswith("| `") for name in re.findall(r"`(\w+)`", row)}
    assert set(get_args(Operator)) <= names


def test_the_evidence_is_what_the_records_say() -> None:
    for path, text in report.render(report.load(), PAGES["README.md"]).items():
        assert PAGES[path] == text, f"{path} is not current: run python -m benchmarks.report"


def test_tables_of_a_benchmark_are_read() -> None:
    lines = ["CPython", "", "| a | b |", "|---|---|", r"| 1 | x \| y |", "", "below"]
    (table,), after = report.parse_tables(lines)
    assert table == report.Table(("a", "b"), (("1", r"x \| y"),), ("CPython",))
    assert after == ("below",)
    assert report.parse_tables(report.render_table(table).splitlines())[0] == (report.Table(table.header, table.rows),)


def test_the_architecture_lists_the_rooms_in_their_order() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    told = re.findall(r"^\| `(\w+)(?:/|\.py)` \|", PAGES["docs/architecture.md"], re.MULTILINE)
    assert told == layers
    named = re.findall(r"`([a-z_]+/[\w/]+\.py)`", PAGES["docs/architecture.md"])
    assert all((ROOT / "src/seemly" / each).exists() for each in named)


def test_the_readme_is_short() -> None:
    assert len(PAGES["README.md"].splitlines()) <= 150


def resolve(page: str, link: str) -> Path:
    return (ROOT / page).parent / link


LINKS = [
    (page, link)
    for page in ("README.md", "CONTRIBUTING.md", "SECURITY.md")
    for link in sorted(set(re.findall(r"\]\((?!https?:|#)([^)#]+)\)", (ROOT / page).read_text(encoding="utf-8"))))
]


@pytest.mark.parametrize(("page", "link"), LINKS)
def test_links_from_outside_the_site_lead_somewhere(page: str, link: str) -> None:
    assert resolve(page, link).exists()
