"""Read the code blocks of Markdown, run the Python ones, and compare the values that they show."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from contextlib import redirect_stdout
from importlib.util import find_spec
from textwrap import dedent
from typing import Any, NamedTuple

import pytest

ARROW = "# → "
"""Marks a comment that shows a value, or what a `print` puts out."""

EXTRAS = {
    "image": "PIL",
    "nudity": "nudenet",
    "ocr": "rapidocr",
    "hash": "pdqhash",
    "media": "av",
    "fetch": "httpcore",
    "server": "fastapi",
    "notebook": "pandas",
    "arrow": "pyarrow",
    "onnx-text": "tokenizers",
    "guard-langchain": "langchain",
}
"""A package that each extra brings."""


CLIENTS = ("moderation_api",)
"""Packages that no extra brings, and that code of the pages imports."""


class Block(NamedTuple):
    """A fenced block: its page, its language, and its first line's number from 1."""

    page: str
    language: str
    line: int
    code: str


def find_missing(code: str) -> str | None:
    """Return an extra that the code says it needs, or a client that it imports, and that is not installed."""
    for client in CLIENTS:
        if re.search(rf"^(from|import) {client}\b", code, re.MULTILINE) and find_spec(client) is None:
            return client
    for extras in re.findall(r"seemly\[([a-z,-]+)\]", code):
        for extra in extras.split(","):
            try:
                pytest.importorskip(EXTRAS.get(extra, f"nothing_brings_{extra}"))
            except pytest.skip.Exception:
                return extra
    return None


def skip_without_extras(code: str) -> None:
    """Skip the test if the code needs an extra that is not installed."""
    missing = find_missing(code)
    if missing is not None:
        pytest.skip(f'needs "seemly[{missing}]"')


def read_blocks(page: str, text: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page, those within tabs and notes without their indentation."""
    start, language, indent = 0, "", ""
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        fence = re.fullmatch(r"( *)```(\w*)", line)
        if start and line == f"{indent}```":
            yield Block(page, language, start, dedent("\n".join(lines[start - 1 : number - 1])) + "\n")
            start = 0
        elif not start and fence is not None:
            start, indent, language = number + 1, fence[1], fence[2]


def shown_values(code: str) -> dict[int, str]:
    """Return the value that each line shows, by the line's number from 1."""
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
                value = eval(compile(ast.Expression(statement.value), block.page, "eval"), names)  # noqa: S307
                got = repr(value) if value is not None else out.getvalue().rstrip("\n")
            else:
                exec(compile(ast.Module([statement], []), block.page, "exec"), names)  # noqa: S102
                got = out.getvalue().rstrip("\n")
        if expected is not None and got != expected:
            line = block.line + (statement.end_lineno or 0) - 1
            wrong.append(f"{block.page}:{line}: shows {expected}, got {got}")
    wrong.extend(f"{block.page}:{block.line + line - 1}: a value is shown within a statement" for line in shown)
    return wrong
