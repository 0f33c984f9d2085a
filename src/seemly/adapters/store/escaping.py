"""Text that databases refuse, in text that they take, and back: `unescape(escape(text)) == text` for every text.

PostgreSQL keeps no NUL, and no database's UTF-8 has a form for half of a surrogate pair. Each such character is
written as two: the mark U+10FFFF, which Unicode gives to nobody, and a private one that stands for it. A mark that was
there before is written as two marks. All other text stays as it is.

    U+0000 → U+10FFFF U+100000        U+D800 … U+DFFF → U+10FFFF U+10D800 … U+10DFFF        U+10FFFF → U+10FFFF U+10FFFF
"""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["dump", "escape", "load", "unescape"]

_MARK = "\U0010ffff"
_PRIVATE = 0x100000
_REFUSED = re.compile(f"[\0\ud800-\udfff{_MARK}]")
_WRITTEN = re.compile(f"{_MARK}([{_MARK}\U00100000\U0010d800-\U0010dfff])")
_NUMBER = re.compile(f'"{_MARK}(NaN|-?Infinity)"')
_LEXEME = re.compile(r'"(?:[^"\\]|\\.)*"|NaN|-?Infinity')
_BACKSLASHED = re.compile(r"\\(?:u0000|.)")

# A frozen mapping is written as the dict that it was.
_STRICT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=dict, allow_nan=False)
_LENIENT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=dict)
# A NUL that was unescaped stands in its string as it is.
_DECODER = json.JSONDecoder(strict=False)


def escape(text: str) -> str:
    """The text without NUL and surrogates."""
    return text if text.isascii() and "\0" not in text else _REFUSED.sub(_write, text)


def unescape(text: str) -> str:
    """The text that was escaped."""
    return text if text.isascii() else _WRITTEN.sub(_read, text)


def dump(value: Any) -> str:
    """A JSON value, frozen or not, as text, each string in it escaped. What JSON lacks, NaN and infinities, becomes
    marked strings."""
    try:
        text = _STRICT.encode(value)
    except ValueError:
        return _LEXEME.sub(_mark_number, _escape_json(_LENIENT.encode(value)))
    return _escape_json(text)


def load(written: str | bytes) -> Any:
    """The JSON value that `dump` wrote."""
    text = written.decode() if isinstance(written, bytes) else written
    if not text.isascii():
        text = unescape(_NUMBER.sub(r"\1", text))
    return _DECODER.decode(text)


def _escape_json(text: str) -> str:
    escaped = escape(text)
    return _BACKSLASHED.sub(_write_nul, escaped) if "\\u0000" in escaped else escaped


def _write_nul(found: re.Match[str]) -> str:
    return escape("\0") if found[0] == "\\u0000" else found[0]


def _write(found: re.Match[str]) -> str:
    return _MARK + chr(_PRIVATE | ord(found[0]) & 0xFFFF)


def _read(found: re.Match[str]) -> str:
    return _MARK if found[1] == _MARK else chr(ord(found[1]) & 0xFFFF)


def _mark_number(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else f'"{_MARK}{found[0]}"'
