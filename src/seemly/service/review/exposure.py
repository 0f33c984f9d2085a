"""How much of what harms a reviewer has looked at today."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from seemly.service.base.environment import Environment
from seemly.service.base.ports import Transaction
from seemly.service.base.records import Item, Member
from seemly.service.base.review_records import Exposure

__all__ = ["MARKED", "REST_AFTER", "SEVERE", "count_shown", "get_exposure"]

MARKED, SEVERE = 0.5, 0.9
"""From which severity on an item counts as marked, and as severe."""

REST_AFTER = 50
"""After how many severe items a break is suggested, and after as many again."""


def count_shown(env: Environment, member: Member, item: Item) -> Exposure:
    """Count an item as shown to a member today (UTC)."""
    with env.store.transaction(durable=False) as tx:
        exposure = get_exposure(env, tx, member)
        if item.severity >= SEVERE:
            exposure = replace(exposure, severe=exposure.severe + 1)
        elif item.severity >= MARKED:
            exposure = replace(exposure, marked=exposure.marked + 1)
        else:
            exposure = replace(exposure, mild=exposure.mild + 1)
        tx.put(exposure)
    return exposure


def get_exposure(env: Environment, tx: Transaction, member: Member) -> Exposure:
    """What a member was shown today (UTC)."""
    day = datetime.fromtimestamp(env.now() / 1000, UTC).date().isoformat()
    exposure_id = f"{member.id}:{day}"
    return tx.get(Exposure, exposure_id) or Exposure(id=exposure_id, member_id=member.id, day=day)
