"""Tables for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seemly.cli.console import printable
from seemly.evaluation.plain import shown

if TYPE_CHECKING:
    from seemly.evaluation.overview import Table

__all__ = ["format_table"]

_LONGEST = 60


def format_table(table: Table) -> str:
    """The title, the header and the rows, in columns; numbers stand to the right."""
    cells = [[_excerpt(shown(cell)) for cell in row] for row in table.rows]
    numeric = [any(isinstance(row[i], int | float) for row in table.rows) for i in range(len(table.header))]
    widths = [max(map(len, column)) for column in zip(table.header, *cells, strict=True)]
    lines = [table.title] if table.title else []
    for row in (table.header, *cells):
        aligned = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        )
        lines.append("  ".join(aligned).rstrip())
    return "\n".join(lines)


def _excerpt(text: str) -> str:
    return printable(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")
