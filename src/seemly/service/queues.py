"""Queues: made, read, changed and deleted, and which items are in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from seemly.errors import NotFoundError
from seemly.service.bodies import Body
from seemly.service.environment import Environment
from seemly.service.filters import Filter, Sought, read_filter, seek
from seemly.service.ports import Order, Query, Transaction, Where, where
from seemly.service.records import Item, Placement, Queue
from seemly.service.views.queues import queue_view

__all__ = [
    "MAX_SCANNED", "Found", "create_queue", "delete_queue", "find_item", "find_items", "find_queue", "list_queues",
    "place", "read_queue", "update_queue",
]  # fmt: skip

MAX_SCANNED = 10_000
"""How many items are looked through where a query cannot tell whether they belong to a queue: the first by the order
that is asked for."""

_BATCH = 500
_MANY = 500
"""How many items that were taken out of a queue a query may name."""

_NEWEST = Order("created_ms", descending=True)


@dataclass(frozen=True, slots=True)
class Found:
    """Some items of a queue, and how many there are in all."""

    items: Sequence[Item]
    total: int


def find_queue(tx: Transaction, project_id: str, queue_id: str, *, lock: bool = False) -> Queue:
    """The queue of that id. Raises NotFoundError where the project has none."""
    queue = tx.get(Queue, queue_id, lock=lock)
    if queue is None or queue.project_id != project_id:
        raise NotFoundError("there is no such queue in this project")
    return queue


def find_item(tx: Transaction, project_id: str, content_id: str, *, lock: bool = False) -> Item:
    """The item of content of that id. Raises NotFoundError where the project has none."""
    conditions = (Where("project_id", "is", project_id), Where("content_id", "is", content_id))
    found = tx.find(Item, Query(conditions, lock="wait" if lock else "none"))
    if not found:
        raise NotFoundError("there is no such item in this project")
    return found[0]


def create_queue(env: Environment, tx: Transaction, project_id: str, wire: object) -> dict[str, Any]:
    """Make a queue of `name`, `description` and `filter` and answer with it. Raises ContentError."""
    now_ms = env.now()
    blank = Queue(id=env.new_id("que"), project_id=project_id, name="", created_ms=now_ms, updated_ms=now_ms)
    body = Body(wire)
    if not body.has("name"):
        body.wrong("name", "is missing")
    queue = _read(body, blank)
    tx.add(queue)
    return _view(env, tx, queue)


def read_queue(env: Environment, tx: Transaction, project_id: str, queue_id: str) -> dict[str, Any]:
    """A queue, with how many items it has. Raises NotFoundError."""
    return _view(env, tx, find_queue(tx, project_id, queue_id))


def list_queues(env: Environment, tx: Transaction, project_id: str) -> list[dict[str, Any]]:
    """Every queue of a project, oldest first."""
    queues = tx.find(Queue, replace(where("project_id", project_id), order=(Order("created_ms"),)))
    return [_view(env, tx, queue) for queue in queues]


def update_queue(env: Environment, tx: Transaction, project_id: str, queue_id: str, wire: object) -> dict[str, Any]:
    """Change a queue and answer with it; what is left out stays as it was. Raises ContentError and NotFoundError."""
    queue = _read(Body(wire), find_queue(tx, project_id, queue_id, lock=True))
    queue = replace(queue, updated_ms=env.now())
    tx.put(queue)
    return _view(env, tx, queue)


def delete_queue(tx: Transaction, project_id: str, queue_id: str) -> dict[str, Any]:
    """Delete a queue; its items stay. Raises NotFoundError."""
    queue = find_queue(tx, project_id, queue_id, lock=True)
    tx.remove(Placement, where("queue_id", queue.id))
    tx.remove(Queue, where("id", queue.id))
    return {"deleted": True, "id": queue.id}


def place(env: Environment, tx: Transaction, queue: Queue, item: Item, *, present: bool) -> None:
    """Put an item into a queue whatever its filter says, or take it out."""
    placed = Placement(
        id=f"{queue.id}:{item.id}",
        project_id=queue.project_id,
        queue_id=queue.id,
        item_id=item.id,
        present=present,
        at_ms=env.now(),
    )
    tx.put(placed)


def find_items(
    env: Environment,
    tx: Transaction,
    queue: Queue,
    wanted: Filter | None = None,
    *,
    order: Order = _NEWEST,
    limit: int | None = None,
    offset: int = 0,
) -> Found:
    """The items of a queue that also meet `wanted`, in an order.

    An item that an action took out of the queue is among them again once it is resolved: it was reviewed here. Where a
    query cannot tell which items these are, the first 10,000 by that order are looked through.
    """
    now_ms = env.now()
    asked = seek(tx, queue.project_id, Filter() if wanted is None else wanted, now_ms)
    body = Body(queue.filter)
    own = seek(tx, queue.project_id, read_filter(body), now_ms)
    placements = tx.find(Placement, where("queue_id", queue.id))
    added = tuple(each.item_id for each in placements if each.present)
    out = tuple(each.item_id for each in placements if not each.present)
    both = Sought((*asked.conditions, *own.conditions), (*asked.sieves, *own.sieves))
    if Where("status", "is", "resolved") not in both.conditions:
        both = _leave_out(both, out)
    if not both.sieves and not added:
        query = Query(both.conditions, (order,), limit, offset)
        return Found(tx.find(Item, query), tx.count(Item, query))
    found = {item.id: item for item in _scan(tx, both, order)}
    for ids in (added[at : at + _BATCH] for at in range(0, len(added), _BATCH)):
        of_them = replace(asked, conditions=(*asked.conditions, Where("id", "in", ids)))
        found.update((item.id, item) for item in _scan(tx, of_them, order))
    items = _sort(list(found.values()), order)
    return Found(items[offset : None if limit is None else offset + limit], len(items))


def _leave_out(sought: Sought, out: tuple[str, ...]) -> Sought:
    """What is sought without the items of some ids that are still to be reviewed."""
    if not out:
        return sought
    if len(out) <= _MANY and Where("status", "is", "pending") in sought.conditions:
        return replace(sought, conditions=(*sought.conditions, Where("id", "not_in", out)))
    taken = frozenset(out)

    def sieve(items: Sequence[Item]) -> Sequence[Item]:
        return [item for item in items if item.status == "resolved" or item.id not in taken]

    return replace(sought, sieves=(*sought.sieves, sieve))


def _scan(tx: Transaction, sought: Sought, order: Order) -> Iterator[Item]:
    for offset in range(0, MAX_SCANNED, _BATCH):
        items = tx.find(Item, Query(sought.conditions, (order,), _BATCH, offset))
        yield from sought.sift(items)
        if len(items) < _BATCH:
            return


def _sort(items: Sequence[Item], order: Order) -> list[Item]:
    """Items as a store sorts them."""
    by_id = sorted(items, key=lambda item: item.id)
    filled = [item for item in by_id if getattr(item, order.field) is not None]
    filled.sort(key=lambda item: getattr(item, order.field), reverse=order.descending)
    return filled + [item for item in by_id if getattr(item, order.field) is None]


def _read(body: Body, queue: Queue) -> Queue:
    """The queue with the fields of a request in place of its own. Raises ContentError."""
    read_filter(body.part("filter"))
    queue = replace(
        queue,
        name=body.text("name", queue.name, least=1, most=200),
        description=body.text("description", queue.description, null=True),
        filter=body.mapping("filter", queue.filter),
    )
    body.done()
    return queue


def _view(env: Environment, tx: Transaction, queue: Queue) -> dict[str, Any]:
    resolved = find_items(env, tx, queue, Filter(check_status="checked"), limit=0).total
    unresolved = find_items(env, tx, queue, Filter(check_status="unchecked"), limit=0).total
    return queue_view(queue, resolved=resolved, unresolved=unresolved)
