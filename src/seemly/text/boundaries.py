"""Boundaries between scripts: in `我的电话是415-666-7777` and `bob@example.comに` a word ends where the script changes.

Chinese, Japanese, Korean and Thai write numbers and Latin words without a space around them, and Arabic, Hebrew, Hindi
and Russian glue prefixes and endings to them. To `\\w` all of that is one word.
"""

from __future__ import annotations

import re

__all__ = ["BOUNDARY", "LATIN_LETTERS", "OTHER_LETTERS", "mark_boundaries", "split_words"]

BOUNDARY = "\ue000"
"""What stands for a letter of another script beside ASCII. A private-use character: no letter, space or separator."""

LATIN_LETTERS = "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
"""The Latin letters that words of living languages are written in, as the inside of a set."""

OTHER_LETTERS = (
    "\u0370-\u1cff\u1f00-\u1fff\u2c80-\u2dff\u2e80-\u2fd5\u3005-\u3007\u3021-\u302f\u3031-\u303f\u3041-\u30fb"
    "\u30fd-\ua4fd\ua500-\ua66f\ua6a0-\ua6ef\ua800-\uab2f\uab70-\ud7ff\uf900-\ufaff\ufb13-\ufdfb\ufe70-\ufefc"
    "\uff66-\uffdc\U00010280-\U00016fff\U0001b000-\U0001b2ff\U00020000-\U0003ffff"
)
"""The letters and marks of all other scripts, as the inside of a set."""
# The long vowel mark stands in words, and for a dash between digits (090ー1234ー5678).
_BESIDE = re.compile(
    rf"[{OTHER_LETTERS}](?=[+\uff0b(]{{0,2}}[0-9A-Za-z_]|::)|(?<=[0-9A-Za-z_])[{OTHER_LETTERS}]|(?<=::)[{OTHER_LETTERS}]"
    "|\u30fc(?=[A-Za-z])|(?<=[A-Za-z])\u30fc|(?<![0-9])\u30fc(?=[0-9])|(?<=[0-9])\u30fc(?![0-9])"
)
_WORDS = re.compile(rf"[{LATIN_LETTERS}]+|[^\W\d_{LATIN_LETTERS}]+")


def mark_boundaries(text: str) -> str:
    """`text` with `BOUNDARY` for each letter of a script other than Latin that touches an ASCII letter or digit,
    or a `+` or bracket before one.

    As long as the text, so that offsets stay: `是415` becomes BOUNDARY and `415`.
    """
    return text if text.isascii() else _BESIDE.sub(BOUNDARY, text)


def split_words(text: str) -> list[str]:
    """The runs of letters in `text`; Latin letters and those of other scripts are words apart."""
    return _WORDS.findall(text)
