"""What a replay found: how decisions and flags would change, and in which examples."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any

from seemly.core.channel import Action, Channel
from seemly.core.errors import Issue
from seemly.evaluation.formatting import need, plain, render_table

__all__ = ["PolicyChange", "Replay", "Replayed", "Transition"]

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Transition:
    """How many examples went from one action to another, or kept theirs."""

    old: Action
    new: Action
    count: int


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """How many examples a policy flags that it did not, and no longer flags, and how many both times."""

    id: str
    newly_flagged: int
    no_longer_flagged: int
    still_flagged: int


@dataclass(frozen=True, slots=True)
class Replayed:
    """One example under both channels. Severities are 0 to 1; `text` is there to be read, and left out of the repr."""

    row: int
    id: str | None
    text: str = field(repr=False)
    old_action: Action
    new_action: Action
    old_severity: float
    new_severity: float
    newly_flagged: tuple[str, ...]
    no_longer_flagged: tuple[str, ...]
    still_flagged: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether the action or a flag differs."""
        return self.old_action != self.new_action or bool(self.newly_flagged or self.no_longer_flagged)


@dataclass(frozen=True, slots=True)
class Replay:
    """What a new channel would have done.

    `skipped` are rows that the replay cannot tell of, with why: they could not be moderated, had settings of their
    own, or a policy failed on some fields of an object. `exact` says that a run would give the same: it may not on
    the cascade tier, where another threshold, or a policy less, changes which texts the accurate model reads.
    """

    old: Channel
    new: Channel
    outcomes: tuple[Replayed, ...]
    skipped: tuple[Issue, ...] = ()
    exact: bool = True

    def __repr__(self) -> str:
        changed = sum(each.changed for each in self.outcomes)
        return f"Replay({self.old.key!r} → {self.new.key!r}, {changed:,} of {len(self.outcomes):,} examples change)"

    @property
    def changed(self) -> tuple[Replayed, ...]:
        """The examples whose action or flags differ, those whose severity moved most first."""
        moved = [each for each in self.outcomes if each.changed]
        return tuple(sorted(moved, key=lambda each: (-abs(each.new_severity - each.old_severity), each.row)))

    @property
    def transitions(self) -> tuple[Transition, ...]:
        """The counts of each pair of actions that came up, the most frequent first."""
        pairs = Counter((each.old_action, each.new_action) for each in self.outcomes)
        return tuple(Transition(*pair, count) for pair, count in pairs.most_common())

    @property
    def policies(self) -> tuple[PolicyChange, ...]:
        """The counts of each policy that flagged under either channel, by id."""
        newly = Counter(policy for each in self.outcomes for policy in each.newly_flagged)
        lost = Counter(policy for each in self.outcomes for policy in each.no_longer_flagged)
        still = Counter(policy for each in self.outcomes for policy in each.still_flagged)
        ids = sorted({*newly, *lost, *still})
        return tuple(PolicyChange(each, newly[each], lost[each], still[each]) for each in ids)

    def to_dataframe(self, *, text: bool = False) -> Any:
        """A pandas DataFrame with a row for each example; the text only where asked for.

        Raises ConfigError without pandas.
        """
        names = [each.name for each in fields(Replayed) if text or each.name != "text"]
        columns = {name: [getattr(each, name) for each in self.outcomes] for name in (*names, "changed")}
        return need("pandas").DataFrame(columns)

    def to_dict(self) -> dict[str, Any]:
        """JSON's types: the counts, and every example that changed, with its text."""
        changed = self.changed
        return {
            "old": self.old.key,
            "new": self.new.key,
            "examples": len(self.outcomes),
            "changed": len(changed),
            "transitions": plain(self.transitions),
            "policies": plain(self.policies),
            "exact": self.exact,
            "skipped": [each.to_dict() for each in self.skipped],
            "changes": plain(changed),
        }

    def _repr_html_(self) -> str:
        changed = self.changed
        title = f"{self.old.key} → {self.new.key}: {len(changed):,} of {len(self.outcomes):,} change"
        actions = render_table(
            title, ("old", "new", "examples"), [(each.old, each.new, each.count) for each in self.transitions]
        )
        policies = render_table(
            "policies",
            ("policy", "newly flagged", "no longer flagged", "still flagged"),
            [(each.id, each.newly_flagged, each.no_longer_flagged, each.still_flagged) for each in self.policies],
        )
        examples = render_table(
            "examples",
            ("row", "text", "old", "new", "old severity", "new severity"),
            [
                (each.row, each.text, each.old_action, each.new_action, each.old_severity, each.new_severity)
                for each in changed[:_SHOWN]
            ],
        )
        return f"<div>{actions}{policies}{examples}</div>"
