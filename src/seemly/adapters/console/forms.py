"""The fields of forms and queries, read within bounds."""

from __future__ import annotations

from urllib.parse import parse_qs

from seemly.core.errors import ContentError, Issue

__all__ = ["MOST_BYTES", "read_fields"]

MOST_BYTES = 1_000_000
"""The largest form, in bytes."""

_MOST_FIELDS = 5_000


def read_fields(text: str) -> dict[str, list[str]]:
    """The fields of a URL-encoded text. Raises ContentError for more of them than any form has."""
    try:
        return parse_qs(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="replace")
    except ValueError as error:
        raise ContentError("invalid input data", [Issue("", "the form has too many fields")]) from error
