"""From a text as submitted to its views."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from seemly.text.bidi import OVERRIDE, turn_back
from seemly.text.char_classes import classify
from seemly.text.fold import fold
from seemly.text.nfkc import clean
from seemly.text.spoof_signals import Signal, gather
from seemly.text.spoofs import resolve
from seemly.text.squash import squash
from seemly.text.view import View, rewrite

if TYPE_CHECKING:
    from seemly.text.spoof_signals import Mark

__all__ = ["Normalized", "normalize"]


class Normalized:
    """One text and its views, each made when it is first read.

    Safe to share between threads: two that read a view at once make it twice, and either serves.
    """

    __slots__ = ("_cleaned", "_expected", "_folded", "_plain", "_resolve", "_signals", "_squashed", "original", "raw")

    def __init__(self, original: str, resolve_spoofs: bool, expected_scripts: frozenset[str]) -> None:
        self.original = original
        self.raw = View(original)
        self._resolve = resolve_spoofs
        self._expected = expected_scripts
        self._plain: _Reading | None = None
        self._folded: View | None = None
        self._squashed: View | None = None
        self._signals: tuple[Signal, ...] | None = None

    def __repr__(self) -> str:
        return f"Normalized({len(self.original)} characters)"

    @property
    def plain(self) -> View:
        """NFKC, invisibles removed, look-alikes resolved, case kept."""
        return self._read().view

    @property
    def folded(self) -> View:
        """Plain, case-folded, accents stripped, with leetspeak and repeats resolved; `*` is any masked letter."""
        if self._folded is None:
            self._folded = fold(self.plain)
        return self._folded

    @property
    def squashed(self) -> View:
        """Folded, with the separators within runs of single letters removed; `folded` itself where there are none."""
        if self._squashed is None:
            self._squashed = squash(self.folded)
        return self._squashed

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Signs of an attempt to hide text, in order of place."""
        if self._signals is None:
            self._signals = gather(self.raw, self._read().marks)
        return self._signals

    @property
    def cleaned(self) -> bool:
        """Whether something hidden or spoofed was resolved on the way to `plain`."""
        return self._read().cleaned

    def _read(self) -> _Reading:
        if self._plain is None:
            self._plain = _read(self.raw, self._resolve, self._expected)
        return self._plain


class _Reading(NamedTuple):
    view: View
    marks: tuple[tuple[View, Mark], ...] = ()
    cleaned: bool = False


def _read(raw: View, resolve_spoofs: bool, expected: frozenset[str]) -> _Reading:
    classes = classify(raw.text)
    if raw.text.isascii() and b"C" not in classes:
        return _Reading(raw)
    view = raw
    noted: list[tuple[View, Mark]] = []
    if OVERRIDE in raw.text:
        edits, marks = turn_back(raw.text)
        noted += [(raw, mark) for mark in marks]
        view = rewrite(raw, edits)
        classes = classify(view.text)
    edits, marks = clean(view.text, classes)
    noted += [(view, mark) for mark in marks]
    cleaned = bool(noted)
    if edits:
        view = rewrite(view, edits)
        classes = classify(view.text)
    if not view.text.isascii():
        edits, marks = resolve(view.text, classes, expected)
        noted += [(view, mark) for mark in marks]
        if resolve_spoofs:
            view = rewrite(view, edits)
            cleaned = cleaned or bool(edits)
    return _Reading(view, tuple(noted), cleaned)


def normalize(text: str, *, resolve_spoofs: bool = True, expected_scripts: frozenset[str] = frozenset()) -> Normalized:
    """The views of `text`; any string will do, lone surrogates included.

    `resolve_spoofs=False` leaves look-alike letters as they are. `expected_scripts` names the scripts that readers
    of the channel use (`"Latin"`, `"Cyrillic"` …): words of another script that pass for them are read as theirs.
    """
    return Normalized(text, resolve_spoofs, expected_scripts)
