"""Items that a reviewer has open: shown so to the others, and handed out to nobody else until the claim ends."""

from __future__ import annotations

from collections.abc import Sequence

from seemly.service.base.environment import Environment
from seemly.service.base.locking import hold_project
from seemly.service.base.ports import Query, Transaction, Where, where
from seemly.service.base.records import Member
from seemly.service.base.review_records import Claim

__all__ = ["CLAIM_MS", "claim_item", "claimed_items", "find_claims", "release_claims"]

CLAIM_MS = 180_000
"""How long a claim lasts unless it is renewed, in milliseconds."""


def claim_item(env: Environment, project_id: str, member: Member, item_id: str) -> Claim:
    """Claim an item for a member, or renew their claim. Returns the claim in force, which may be another's.

    Raises NotFoundError where the project or the item is gone.
    """
    with env.store.transaction(durable=False) as tx:
        hold_project(tx, project_id)
        held = tx.get(Claim, item_id, lock=True)
        if held is not None and held.member_id != member.id and held.until_ms > env.now():
            return held
        claim = Claim(
            id=item_id, project_id=project_id, item_id=item_id, member_id=member.id, until_ms=env.now() + CLAIM_MS
        )
        tx.put(claim)
        return claim


def release_claims(tx: Transaction, member_id: str) -> int:
    """End every claim of a member, who goes away. Returns how many they were."""
    return tx.remove(Claim, where("member_id", member_id))


def find_claims(env: Environment, tx: Transaction, item_ids: Sequence[str]) -> dict[str, Claim]:
    """The claims in force of some items, by the items' ids."""
    conditions = (Where("item_id", "in", tuple(item_ids)), Where("until_ms", "at_least", env.now() + 1))
    return {each.item_id: each for each in tx.find(Claim, Query(conditions))}


def claimed_items(env: Environment, tx: Transaction, project_id: str, member: Member) -> tuple[str, ...]:
    """The ids of the items that others have open."""
    conditions = (
        Where("project_id", "is", project_id),
        Where("until_ms", "at_least", env.now() + 1),
        Where("member_id", "is_not", member.id),
    )
    return tuple(each.item_id for each in tx.find(Claim, Query(conditions)))
