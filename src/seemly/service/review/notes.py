"""Notes that members leave each other about an item."""

from __future__ import annotations

from seemly.core.errors import NotFoundError
from seemly.service.base.environment import Environment
from seemly.service.base.locking import hold_project
from seemly.service.base.ports import Order, Query, Transaction, Where
from seemly.service.base.records import Item, Member
from seemly.service.base.requests import Body
from seemly.service.base.review_records import Note
from seemly.service.management.keys import log

__all__ = ["add_note", "list_notes"]


def add_note(env: Environment, tx: Transaction, project_id: str, member: Member, item_id: str, wire: object) -> Note:
    """Keep a member's note about an item: `text`. Raises ContentError and NotFoundError."""
    hold_project(tx, project_id)
    item = tx.get(Item, item_id)
    if item is None or item.project_id != project_id:
        raise NotFoundError("there is no such item in this project")
    body = Body(wire)
    text = body.text("text", least=1, most=5_000)
    body.done()
    note = Note(
        id=env.new_id("note"),
        project_id=project_id,
        item_id=item_id,
        member_id=member.id,
        at_ms=env.now(),
        text=text,
    )
    tx.add(note)
    log(env, tx, member, "item.noted", item_id)
    return note


def list_notes(tx: Transaction, item_id: str) -> list[Note]:
    """The notes about an item, the oldest first."""
    return tx.find(Note, Query((Where("item_id", "is", item_id),), (Order("at_ms"),)))
