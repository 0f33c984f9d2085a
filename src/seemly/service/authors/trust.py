"""How far an author is trusted: a level from -1 (untrusted) over 0 (new) to 4 (trusted), from what they wrote."""

from __future__ import annotations

from dataclasses import dataclass, replace

from seemly.service.base.records import Author
from seemly.service.base.times import DAY_MS

__all__ = ["LADDER", "MOST_VIOLATIONS", "Rung", "assess_trust", "settle_level"]


MOST_VIOLATIONS = 0.05
"""The largest share of flagged content that does not make an author untrusted."""


@dataclass(frozen=True, slots=True)
class Rung:
    """A level, the days since an author was first seen that it takes, and the contents that did not flag."""

    level: int
    days: int
    clean: int


LADDER = (Rung(3, 90, 100), Rung(2, 30, 25), Rung(1, 7, 5))
"""The levels that authors reach by themselves, highest first: regular, member, basic. Level 4 is only ever given."""


def assess_trust(author: Author, now_ms: int) -> int:
    """The level that an author earned by `now_ms`, in Unix milliseconds: -1 to 3.

    -1 where more than one content in twenty flagged; else the highest rung of `LADDER` that they meet, else 0.
    """
    if author.flagged_content > MOST_VIOLATIONS * author.total_content:
        return -1
    age_ms = now_ms - author.first_seen_ms
    clean = author.total_content - author.flagged_content
    met = (rung.level for rung in LADDER if age_ms >= rung.days * DAY_MS and clean >= rung.clean)
    return next(met, 0)


def settle_level(author: Author, now_ms: int) -> Author:
    """The author with the level in force: the one that was given by hand, else the one that they earned."""
    level = assess_trust(author, now_ms) if author.manual_level is None else author.manual_level
    return author if level == author.level else replace(author, level=level)
