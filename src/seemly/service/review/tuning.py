"""What reviewers decided, held against what each policy of a channel found: what another threshold would do.

Nothing is run again: the probabilities are those of the recorded results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from seemly.service.base.ports import Order, Query, Transaction, Where
from seemly.service.base.records import ChannelRecord, Item
from seemly.service.base.review_records import Decision

__all__ = ["BINS", "Outcome", "Sample", "bin_samples", "find_changes", "gather_samples", "judge_threshold"]

BINS = 20
"""How many bars a histogram has."""

_MOST = 2_000


@dataclass(frozen=True, slots=True)
class Sample:
    """One decided item, as one policy saw it: the probability, and whether a reviewer rejected it for that."""

    item_id: str
    probability: float
    wrong: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a threshold does to samples. `precision` is None where nothing is flagged, `recall` where nothing is
    wrong."""

    flagged: int
    precision: float | None
    recall: float | None


def gather_samples(tx: Transaction, channel: ChannelRecord) -> dict[str, list[Sample]]:
    """The last 2,000 decided items of a channel, by policy.

    An item that was rejected is wrong for the policy that was cited; where none was, for those that flagged it. An item
    that was allowed is wrong for none. A rejected item tells nothing of other policies that flagged it.
    """
    conditions = (Where("project_id", "is", channel.project_id), Where("state", "is", "released"))
    decided = tx.find(Decision, Query(conditions, (Order("at_ms", descending=True),), limit=_MOST))
    latest: dict[str, Decision] = {}
    for each in decided:
        if each.item_id is not None and each.outcome in ("allow", "reject"):
            latest.setdefault(each.item_id, each)
    samples: dict[str, list[Sample]] = {}
    for item in tx.find(Item, Query((Where("id", "in", tuple(latest)),))):
        if item.channel_id != channel.id:
            continue
        decision = latest[item.id]
        cited = {decision.policy} if decision.policy else set(item.labels)
        for found in item.result.get("policies", ()):
            policy, rejected = found["id"], decision.outcome == "reject"
            if rejected and policy not in cited and found["flagged"]:
                continue
            sample = Sample(item.id, float(found["probability"]), rejected and policy in cited)
            samples.setdefault(policy, []).append(sample)
    return samples


def judge_threshold(samples: Sequence[Sample], threshold: float) -> Outcome:
    """What a threshold flags of some samples, how much of that is wrong, and how much of what is wrong it flags."""
    flagged = [each for each in samples if each.probability >= threshold]
    right = sum(each.wrong for each in flagged)
    wrong = sum(each.wrong for each in samples)
    return Outcome(len(flagged), right / len(flagged) if flagged else None, right / wrong if wrong else None)


def bin_samples(samples: Sequence[Sample]) -> list[tuple[int, int]]:
    """A histogram of probabilities: in each bin how many samples are fine, and how many wrong."""
    bins = [[0, 0] for _ in range(BINS)]
    for each in samples:
        bins[min(BINS - 1, int(each.probability * BINS))][each.wrong] += 1
    return [(fine, wrong) for fine, wrong in bins]


def find_changes(samples: Sequence[Sample], before: float, after: float) -> Mapping[str, list[str]]:
    """The ids of the items that another threshold would flag anew, and no more."""
    return {
        "flagged": [each.item_id for each in samples if after <= each.probability < before],
        "freed": [each.item_id for each in samples if before <= each.probability < after],
    }
