"""From a match to the text that takes its place."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seemly.policies.pii.options import MaskStyle

__all__ = ["Pseudonyms", "mask_of"]


class Pseudonyms:
    """Names given within one text: the same value of the same kind has the same name."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}

    def name(self, entity_type: str, canonical: str) -> str:
        """The name of a value, `Email 1` for the first email."""
        key = (entity_type, canonical)
        if key not in self._names:
            self._counts[entity_type] = self._counts.get(entity_type, 0) + 1
            self._names[key] = f"{_words(entity_type).capitalize()} {self._counts[entity_type]}"
        return self._names[key]


def mask_of(match: str, entity_type: str, canonical: str, style: MaskStyle, pseudonyms: Pseudonyms) -> str:
    """The replacement of `match` in the given style."""
    match style.kind:
        case "hidden":
            return f"{{{{ {_words(entity_type)} hidden }}}}"
        case "template":
            return style.template.replace("$", match)
        case "character":
            return style.character * len(match)
        case "keep_last":
            return _keep_last(match, style.keep, style.character)
        case "hash":
            value = f"{entity_type}:{canonical}".encode("utf-8", "surrogatepass")
            return hmac.new(style.salt.encode(), value, hashlib.sha256).hexdigest()[:12]
        case "pseudonym":
            return pseudonyms.name(entity_type, canonical)


def _keep_last(match: str, keep: int, character: str) -> str:
    """Letters and digits but the last `keep` hidden, at most half of them shown; separators stay as written."""
    signs = [i for i, c in enumerate(match) if c.isalnum()]
    shown = min(keep, len(signs) // 2)
    hidden = set(signs[: len(signs) - shown])
    return "".join(character if i in hidden else c for i, c in enumerate(match))


def _words(entity_type: str) -> str:
    return entity_type.replace("_", " ")
