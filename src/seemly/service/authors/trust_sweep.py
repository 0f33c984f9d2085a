"""Authors raised to the levels that they earn by time alone.

What answers show and decisions read is the level of that moment. The level that is kept, by which authors are sorted
and items found, is set when an author's content or record is kept, and falls behind while they grow older in silence.
"""

from __future__ import annotations

from collections.abc import Sequence

from seemly.service.authors.authors import keep_author
from seemly.service.authors.trust import LADDER, Rung, settle_level
from seemly.service.base.environment import Environment
from seemly.service.base.locking import hold_projects
from seemly.service.base.paged_scan import scan
from seemly.service.base.ports import Order, Query, Where
from seemly.service.base.records import Author
from seemly.service.base.times import DAY_MS

__all__ = ["raise_levels"]


def raise_levels(env: Environment) -> int:
    """Keep the level of every author who earned a higher one since, and tell of it. Returns how many were.

    Several workers may do so at once: each author is raised by one of them.
    """
    raised = 0
    # From the highest rung down, so that who climbed several is raised, and told of, once.
    for rung in LADDER:
        for authors in scan(env, Author, _old_enough(rung, env.now())):
            # Few of them are due, if any, and to write, even nothing, has the disk confirm it.
            due = [each for each in authors if settle_level(each, env.now()).level > each.level]
            raised += _raise(env, due) if due else 0
    return raised


def _old_enough(rung: Rung, now_ms: int) -> tuple[Where, ...]:
    """Who may have reached a rung by age, as far as a query can tell: how much of their content flagged is left out."""
    return (
        Where("manual_level", "is", None),
        # Who is untrusted is so by what they wrote, at any age.
        Where("level", "at_least", 0),
        Where("level", "below", rung.level),
        Where("total_content", "at_least", rung.clean),
        Where("first_seen_ms", "below", now_ms - rung.days * DAY_MS + 1),
    )


def _raise(env: Environment, due: Sequence[Author]) -> int:
    ids = tuple(author.id for author in due)
    with env.store.transaction() as tx:
        held = hold_projects(tx, {author.project_id for author in due})
        # Who is held elsewhere is being kept, and so settled, there.
        conditions = (Where("id", "in", ids), Where("project_id", "in", held))
        authors = tx.find(Author, Query(conditions, (Order("id"),), lock="skip"))
        return sum(keep_author(env, tx, each).level != each.level for each in authors)
