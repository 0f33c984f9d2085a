"""Moderation actions: made, read, changed, deleted and listed. `execution` runs them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

from seemly.core.errors import ForbiddenError, NotFoundError
from seemly.service.base.environment import Environment
from seemly.service.base.locking import hold_project
from seemly.service.base.ports import Order, Query, Transaction, Where, where
from seemly.service.base.records import Action, ActionType
from seemly.service.base.requests import Body
from seemly.service.review.views import view_action

__all__ = ["create_action", "delete_action", "find_action", "list_actions", "read_action", "update_action"]


def find_action(tx: Transaction, project_id: str, action_id: str, *, lock: bool = False) -> Action:
    """The action of that id or key. Raises NotFoundError where the project has none."""
    action = tx.get(Action, action_id, lock=lock)
    if action is not None and action.project_id == project_id:
        return action
    conditions = (Where("project_id", "is", project_id), Where("key", "is", action_id))
    found = tx.find(Action, Query(conditions, lock="wait" if lock else "none"))
    if not found:
        raise NotFoundError("there is no such action in this project")
    return found[0]


def create_action(env: Environment, tx: Transaction, project_id: str, wire: object) -> dict[str, Any]:
    """Make an action and answer with it: `name`, and any other field of an action but its id and times.

    Raises ContentError, NotFoundError where the project was deleted, and ConflictError where another has its key.
    """
    hold_project(tx, project_id)
    body = Body(wire)
    if not body.has("name"):
        body.wrong("name", "is missing")
    blank = Action(id=env.new_id("act"), project_id=project_id, key=None, name="", created_ms=env.now())
    action = replace(_read(body, blank), type=body.choice("type", get_args(ActionType), blank.type))
    body.done()
    tx.add(action)
    return view_action(action)


def read_action(tx: Transaction, project_id: str, action_id: str) -> dict[str, Any]:
    """The action of that id or key. Raises NotFoundError."""
    return view_action(find_action(tx, project_id, action_id))


def list_actions(tx: Transaction, project_id: str, wire: object = None) -> list[dict[str, Any]]:
    """The project's actions, oldest first; with `queueId` those that are shown in that queue. Raises ContentError."""
    body = Body(wire)
    queue_id = body.text("queueId", None)
    body.done()
    actions = tx.find(Action, replace(where("project_id", project_id), order=(Order("created_ms"),)))
    return [view_action(each) for each in actions if queue_id is None or _is_shown_in(each, queue_id)]


def update_action(tx: Transaction, project_id: str, action_id: str, wire: object) -> dict[str, Any]:
    """Change an action and answer with it. What is left out stays as it was; so does the type, and the key of one that
    is built in.

    Raises ContentError, NotFoundError, and ConflictError where another has its key.
    """
    before = find_action(tx, project_id, action_id, lock=True)
    body = Body(wire)
    action = _read(body, before)
    body.done()
    action = replace(action, key=before.key) if before.built_in else action
    tx.put(action)
    return view_action(action)


def delete_action(tx: Transaction, project_id: str, action_id: str) -> dict[str, Any]:
    """Delete an action; that it ran stays known. Raises NotFoundError, and ForbiddenError for one that is built in."""
    action = find_action(tx, project_id, action_id, lock=True)
    if action.built_in:
        raise ForbiddenError("a built-in action cannot be deleted; set its position to HIDDEN instead")
    tx.remove(Action, where("id", action.id))
    return {"deleted": True, "id": action.id}


def _is_shown_in(action: Action, queue_id: str) -> bool:
    if action.position == "SOME_QUEUES":
        return queue_id in action.filter_in_queue_ids
    return action.position == "ALL_QUEUES"


def _read(body: Body, action: Action) -> Action:
    """The action with the fields of a request in place of its own."""
    values = tuple(dict.fromkeys(each.text("value", least=1) for each in body.parts("possibleValues")))
    return replace(
        action,
        key=body.text("key", action.key, least=1, most=100, null=True),
        name=body.text("name", action.name, least=1, most=200),
        description=body.text("description", action.description, null=True),
        position=body.choice("position", ("ALL_QUEUES", "SOME_QUEUES", "HIDDEN"), action.position),
        filter_in_queue_ids=body.texts("filterInQueueIds", action.filter_in_queue_ids),
        queue_behaviour=body.choice("queueBehaviour", ("REMOVE", "ADD", "NO_CHANGE"), action.queue_behaviour),
        possible_values=values if body.has("possibleValues") else action.possible_values,
        free_text=body.flag("freeText", action.free_text),
        value_required=body.flag("valueRequired", action.value_required),
    )
