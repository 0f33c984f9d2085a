"""The README and the examples say what the code does: every block and every script is run here."""

from __future__ import annotations

import ast
import doctest
import io
import re
import runpy
import shlex
import shutil
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pytest

from seemly import BUILTIN, PRESETS, Channel, Engine
from seemly.cli.main import main
from seemly.cli.streams import Console
from seemly.core.channel import Operator
from seemly.engine.rules import PLAIN_FIELDS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
ARROW = "# → "
"""Marks a comment in the README that shows a value, or what a `print` puts out."""


EXTRAS = {
    "image": "PIL",
    "nudity": "nudenet",
    "ocr": "rapidocr",
    "hash": "pdqhash",
    "media": "av",
    "fetch": "httpcore",
    "server": "fastapi",
    "notebook": "pandas",
}
"""A package that each extra brings."""


def skip_without_extras(code: str) -> None:
    """Skip where code says that it needs an extra that is not installed."""
    for extras in re.findall(r"seemly\[([a-z,]+)\]", code):
        for extra in extras.split(","):
            pytest.importorskip(EXTRAS[extra], reason=f'needs "seemly[{extra}]"')


class Block(NamedTuple):
    """A fenced block of the README: its language, its first line's number from 1, and the heading above it."""

    language: str
    line: int
    heading: str
    code: str


def read_blocks(text: str) -> Iterator[Block]:
    heading, start, language = "", 0, ""
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if start and line == "```":
            yield Block(language, start, heading, "\n".join(lines[start - 1 : number - 1]) + "\n")
            start = 0
        elif not start and line.startswith("```"):
            start, language = number + 1, line[3:]
        elif not start and line.startswith("#"):
            heading = line.lstrip("# ")


def gather_sections() -> dict[str, list[Block]]:
    """The Python blocks by heading: those under one heading are run as one script, those of two share nothing."""
    sections: dict[str, list[Block]] = {}
    for block in read_blocks(README):
        if block.language == "python":
            sections.setdefault(block.heading, []).append(block)
    return sections


def shown_values(code: str) -> dict[int, str]:
    """What each line, by its number from 1, is said to come to."""
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    comments = ((token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT)
    return {line: text.removeprefix(ARROW) for line, text in comments if text.startswith(ARROW)}


def run_block(block: Block, names: dict[str, Any]) -> list[str]:
    """Run a block, and return a line for each value that is not as shown."""
    shown = shown_values(block.code)
    wrong: list[str] = []
    for statement in ast.parse(block.code).body:
        expected = shown.pop(statement.end_lineno or 0, None)
        out = io.StringIO()
        with redirect_stdout(out):
            if isinstance(statement, ast.Expr):
                value = eval(compile(ast.Expression(statement.value), "README.md", "eval"), names)  # noqa: S307
                got = repr(value) if value is not None else out.getvalue().rstrip("\n")
            else:
                exec(compile(ast.Module([statement], []), "README.md", "exec"), names)  # noqa: S102
                got = out.getvalue().rstrip("\n")
        if expected is not None and got != expected:
            wrong.append(f"README.md:{block.line + (statement.end_lineno or 0) - 1}: shows {expected}, got {got}")
    wrong.extend(f"README.md:{block.line + line - 1}: a value is shown within a statement" for line in shown)
    return wrong


@pytest.mark.parametrize("heading", gather_sections())
def test_readme_python_gives_what_it_shows(heading: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    for block in gather_sections()[heading]:
        skip_without_extras(block.code)
    names: dict[str, Any] = {"__name__": "readme"}
    wrong = [line for block in gather_sections()[heading] for line in run_block(block, names)]
    assert not wrong, "\n".join(wrong)


def test_the_readme_shows_values() -> None:
    shown = [value for blocks in gather_sections().values() for b in blocks for value in shown_values(b.code)]
    assert len(shown) >= 30


@pytest.mark.parametrize("code", ["1 + 1  # → 3\n", "print('a')  # → b\n", "x = [\n    1,  # → 1\n]\n"])
def test_a_readme_block_that_shows_a_wrong_value_is_told(code: str) -> None:
    assert run_block(Block("python", 1, "", code), {})


def gather_commands() -> list[str]:
    """The `seemly` command lines of the README that need nothing but a file of the examples."""
    lines = [line for block in read_blocks(README) if block.language == "sh" for line in block.code.splitlines()]
    return [line for line in lines if re.match(r"seemly (?!bench|serve|setup|worker)", line)]


@pytest.mark.parametrize("line", gather_commands())
def test_readme_commands_run(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


@pytest.mark.parametrize("block", [b for b in read_blocks(README) if b.language == "toml"], ids=lambda b: b.heading)
def test_readme_channel_files_work(block: Block) -> None:
    channel = Channel.parse(tomllib.loads(block.code))
    assert Engine(channel).moderate("hello").errors == ()


def read_table(header: str) -> list[list[str]]:
    """The cells of the README's table whose header row begins so."""
    lines = README.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(header)) + 2
    rows: list[list[str]] = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def test_the_table_of_policies_is_the_registry() -> None:
    rows = {row[0].strip("`"): (row[1], row[3], float(row[4])) for row in read_table("| policy ")}
    rows.pop("wordlist:<key>")
    assert rows == {
        spec.id: (spec.kind, "yes" if spec.defaults.flag else "no", spec.defaults.weight) for spec in BUILTIN
    }


def test_the_presets_are_the_code() -> None:
    told = {
        name: (float(review), float(reject))
        for name, review, reject in re.findall(r"`(\w+)` ([\d.]+)/([\d.]+)\b", README)
    }
    assert told == {name: (triage.review, triage.reject) for name, triage in PRESETS.items()}


def test_the_tables_of_rules_are_the_code() -> None:
    fields = {name for row in read_table("| field ") for name in re.findall(r"`([^`]+)`", row[0])}
    assert set(PLAIN_FIELDS) <= fields
    operators = {name for row in read_table("| operator ") for name in re.findall(r"`([^`]+)`", row[0])}
    assert operators == set(get_args(Operator))


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_examples_print_what_they_say(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(script)])
    text = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or ""
    skip_without_extras(text)
    out = io.StringIO()
    with redirect_stdout(out):
        runpy.run_path(str(script), run_name="__main__")
    told = re.search(r"prints:\n\n((?: {4}.*\n|\n)+)", text + "\n")
    if told is None:
        assert out.getvalue()
        return
    want = "\n".join(line.removeprefix("    ") for line in told[1].strip("\n").splitlines()) + "\n"
    same = doctest.OutputChecker().check_output(want, out.getvalue(), doctest.ELLIPSIS)
    assert same, f"says\n{want}\nprints\n{out.getvalue()}"


def test_batch_file_writes_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text('{"type": "text", "text": "hello there"}\nnot json\n', encoding="utf-8")
    script = ROOT / "examples/batch_file.py"
    monkeypatch.setattr(sys, "argv", [str(script), str(source), str(target)])
    runpy.run_path(str(script), run_name="__main__")
    first, second = target.read_text(encoding="utf-8").splitlines()
    assert '"action"' in first
    assert '"line": 2, "error"' in second


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_stands_in_the_readme(script: Path) -> None:
    assert f"(examples/{script.name})" in README


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((?!https?:|#)([^)#]+)\)", README))))
def test_readme_links_lead_somewhere(link: str) -> None:
    assert (ROOT / link).exists()


@pytest.mark.parametrize("anchor", sorted(set(re.findall(r"\]\(#([^)]+)\)", README))))
def test_readme_anchors_lead_somewhere(anchor: str) -> None:
    outside = re.sub(r"^```.*?^```$", "", README, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", outside, flags=re.MULTILINE)
    assert anchor in {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}
