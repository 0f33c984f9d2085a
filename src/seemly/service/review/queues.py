"""Queues: made, read, changed and deleted, and which items are in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from seemly.core.errors import NotFoundError
from seemly.service.base.environment import Environment
from seemly.service.base.locking import hold_project
from seemly.service.base.ports import Order, Query, Transaction, Where, where
from seemly.service.base.records import Item, Placement, Queue
from seemly.service.base.requests import Body
from seemly.service.review.filters import Filter, read_filter, seek
from seemly.service.review.views import view_queue

__all__ = [
    "Found", "bring", "create_queue", "delete_queue", "find_default_queue", "find_item", "find_items", "find_queue",
    "holds", "list_queues", "place", "put_back", "read_queue", "reopen", "update_queue",
]  # fmt: skip

_NEWEST = Order("created_ms", descending=True)


@dataclass(frozen=True, slots=True)
class Found:
    """Some items of a queue, and how many there are in all."""

    items: Sequence[Item]
    total: int


def find_queue(
    tx: Transaction, project_id: str, queue_id: str, *, lock: Literal["none", "wait", "share", "alone"] = "none"
) -> Queue:
    """The queue of that id. Raises NotFoundError where the project has none."""
    conditions = (Where("id", "is", queue_id), Where("project_id", "is", project_id))
    found = tx.find(Queue, Query(conditions, lock=lock))
    if not found:
        raise NotFoundError("there is no such queue in this project")
    return found[0]


def find_default_queue(tx: Transaction, project_id: str) -> Queue:
    """The project's oldest queue, which is the one that it came with until that is deleted. Raises NotFoundError."""
    found = tx.find(Queue, Query((Where("project_id", "is", project_id),), (Order("created_ms"),), limit=1))
    if not found:
        raise NotFoundError("this project has no queue")
    return found[0]


def find_item(tx: Transaction, project_id: str, content_id: str, *, lock: bool = False) -> Item:
    """The item of content of that id. Raises NotFoundError where the project has none."""
    conditions = (Where("project_id", "is", project_id), Where("content_id", "is", content_id))
    found = tx.find(Item, Query(conditions, lock="wait" if lock else "none"))
    if not found:
        raise NotFoundError("there is no such item in this project")
    return found[0]


def create_queue(env: Environment, tx: Transaction, project_id: str, wire: object) -> Queue:
    """Make a queue of `name`, `description` and `filter`.

    Raises ContentError, and NotFoundError where the project was deleted.
    """
    hold_project(tx, project_id)
    now_ms = env.now()
    blank = Queue(id=env.new_id("que"), project_id=project_id, name="", created_ms=now_ms, updated_ms=now_ms)
    body = Body(wire)
    if not body.has("name"):
        body.wrong("name", "is missing")
    queue = _read(body, blank)
    tx.add(queue)
    return queue


def read_queue(env: Environment, tx: Transaction, project_id: str, queue_id: str) -> dict[str, Any]:
    """A queue, with how many items it has. Raises NotFoundError."""
    return _view(env, tx, find_queue(tx, project_id, queue_id))


def list_queues(env: Environment, tx: Transaction, project_id: str) -> list[dict[str, Any]]:
    """Every queue of a project, oldest first."""
    queues = tx.find(Queue, replace(where("project_id", project_id), order=(Order("created_ms"),)))
    return [_view(env, tx, queue) for queue in queues]


def update_queue(env: Environment, tx: Transaction, project_id: str, queue_id: str, wire: object) -> Queue:
    """Change a queue; what is left out stays as it was. Raises ContentError and NotFoundError."""
    queue = _read(Body(wire), find_queue(tx, project_id, queue_id, lock="wait"))
    queue = replace(queue, updated_ms=env.now())
    tx.put(queue)
    return queue


def delete_queue(tx: Transaction, project_id: str, queue_id: str) -> dict[str, Any]:
    """Delete a queue; its items stay. Raises NotFoundError."""
    hold_project(tx, project_id)
    queue = find_queue(tx, project_id, queue_id, lock="alone")
    tx.remove(Placement, where("queue_id", queue.id))
    tx.remove(Queue, where("id", queue.id))
    return {"deleted": True, "id": queue.id}


def place(env: Environment, tx: Transaction, queue: Queue, item: Item, *, present: bool) -> None:
    """Put an item into a queue whatever its filter says, or take it out. Both are locked; the queue may be shared.

    Only what is to be reviewed can be left out by a queue: a resolved item is taken out of where it was put, no more.
    """
    if not present and item.status == "resolved":
        tx.remove(Placement, where("id", _placement_id(queue, item)))
        return
    placed = Placement(
        id=_placement_id(queue, item),
        project_id=queue.project_id,
        queue_id=queue.id,
        item_id=item.id,
        present=present,
        at_ms=env.now(),
    )
    tx.put(placed)


def bring(env: Environment, tx: Transaction, item: Item) -> None:
    """Have an item that somebody asks to have looked at wait in a queue whatever is recommended: in the project's
    oldest, unless one has it. One that is resolved stays so. The project is held, and the item locked."""
    if item.status == "resolved":
        return
    of_project = (Where("project_id", "is", item.project_id),)
    queues = tx.find(Queue, Query(of_project, (Order("created_ms"),), lock="share"))
    waiting = [each for each in queues if _filter_of(each).check_status != "checked"]
    if queues and not any(holds(env, tx, each, item) for each in waiting):
        place(env, tx, queues[0], item, present=True)


def put_back(tx: Transaction, item: Item) -> None:
    """Have no queue leave an item out any more: it is resolved, and where it was reviewed it may be opened again."""
    tx.remove(Placement, Query((Where("item_id", "is", item.id), Where("present", "is", False))))


def reopen(item: Item) -> Item:
    """An item to be reviewed again, as it was before it was resolved."""
    if item.status == "pending":
        return item
    action = item.result.get("recommendation", {}).get("action", item.action)
    return replace(item, status="pending", action=action, resolved_ms=None, resolve_comment=None, reviewer=None)


def holds(env: Environment, tx: Transaction, queue: Queue, item: Item) -> bool:
    """Whether an item is in a queue, be it to be reviewed or resolved."""
    placed = tx.get(Placement, _placement_id(queue, item))
    if placed is not None:
        return placed.present
    own = replace(_filter_of(queue), check_status="all")
    if item.status == "resolved":
        # A review may have changed the recommended action, and an item does not leave the queue of its review by that.
        own = replace(own, recommended=())
    conditions = (Where("id", "is", item.id), *seek(tx, queue.project_id, own, env.now()))
    return tx.count(Item, Query(conditions)) > 0


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

    An item that an action took out of the queue is among them again once it is resolved: it was reviewed here.
    """
    queries = _look(env, tx, queue, wanted or Filter(), _Placed.of(tx, queue))
    counted = sorted(((tx.count(Item, each), each) for each in queries), key=lambda each: each[0])
    *fewer, most = (replace(query, order=(order,)) for _, query in counted)
    end = None if limit is None else offset + limit
    few = [item for query in fewer for item in tx.find(Item, replace(query, limit=end))]
    # Any of the few may stand before the page or on it: of the others, as many more are read.
    start = max(0, offset - len(few))
    length = None if end is None else end - start
    rest = tx.find(Item, replace(most, limit=length, offset=start))
    items = _sort([*few, *rest], order) if few else rest
    return Found(items[offset - start : length], sum(count for count, _ in counted))


@dataclass(frozen=True, slots=True)
class _Placed:
    """The ids of the items that actions put into a queue, and of those that they took out."""

    added: tuple[str, ...]
    out: tuple[str, ...]

    @classmethod
    def of(cls, tx: Transaction, queue: Queue) -> _Placed:
        placements = tx.find(Placement, where("queue_id", queue.id))
        added = tuple(each.item_id for each in placements if each.present)
        return cls(added, tuple(each.item_id for each in placements if not each.present))


def _look(env: Environment, tx: Transaction, queue: Queue, wanted: Filter, placed: _Placed) -> tuple[Query, ...]:
    """The queries that find the items of a queue that also meet `wanted`, each item once: those that its filter finds,
    and those that actions put there."""
    now_ms = env.now()
    asked = seek(tx, queue.project_id, wanted, now_ms)
    placed_ids = (*placed.added, *placed.out)
    elsewhere = (Where("id", "not_in", placed_ids),) if placed_ids else ()
    by_filter = [
        Query((*asked, *seek(tx, queue.project_id, each, now_ms), *elsewhere)) for each in _read_own(_filter_of(queue))
    ]
    by_hand = Query((*asked, Where("id", "in", placed.added)))
    return (*by_filter, by_hand) if placed.added else tuple(by_filter)


def _read_own(own: Filter) -> tuple[Filter, ...]:
    """The filters that together find the items of a queue's filter, each item by one of them.

    A review may change the recommended action, and an item does not leave the queue of its review by that.
    """
    if not own.recommended or own.check_status != "all":
        return (own,)
    return replace(own, check_status="unchecked"), replace(own, check_status="checked", recommended=())


def _placement_id(queue: Queue, item: Item) -> str:
    return f"{queue.id}:{item.id}"


def _filter_of(queue: Queue) -> Filter:
    return read_filter(Body(queue.filter))


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
    placed = _Placed.of(tx, queue)

    def count(wanted: Filter) -> int:
        return sum(tx.count(Item, each) for each in _look(env, tx, queue, wanted, placed))

    return view_queue(
        queue,
        is_default=find_default_queue(tx, queue.project_id).id == queue.id,
        resolved=count(Filter(check_status="checked")),
        unresolved=count(Filter(check_status="unchecked")),
    )
