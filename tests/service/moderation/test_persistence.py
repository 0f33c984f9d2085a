"""What is kept of content: not the bytes of media, nothing of a project that is gone, and whatever else, at last."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from seemly.adapters.store.memory import MemoryStore
from seemly.core.channel import dump
from seemly.core.errors import NotFoundError
from seemly.service.base.ports import ContendedError
from seemly.service.base.records import Author, Item
from seemly.service.management.projects import delete_project
from seemly.service.moderation.engine_cache import Engines
from seemly.service.moderation.moderation import Moderation
from seemly.testing import FakeModels
from tests.support.management_world import World
from tests.support.service_fakes import Service

PICTURE = base64.b64encode(np.random.default_rng(1).bytes(1_500)).decode()


@pytest.mark.parametrize("inline", ["data", "url"])
def test_the_bytes_of_media_are_not_kept_with_what_was_masked(inline: str) -> None:
    service = Service()
    service.change_channel(
        policies=[{"id": "personal_information", "options": {"entities": {"email": {"flag": True}}}}]
    )
    data = PICTURE
    picture = {"type": "image", inline: data if inline == "data" else f"data:image/png;base64,{data}"}
    caption = {"type": "text", "text": "mail jo@example.com"}
    linked = {"type": "image", "url": "https://example.com/a.png"}
    content = {"type": "object", "data": {"cap": caption, "pic": picture, "link": linked}}
    answer = service.submit(content=content, contentId="a")
    assert answer["content"]["masked"]
    assert data in json.dumps(answer["content"]["modified"]), "who submitted it gets it back"
    item = service.item("a")
    masked = item.result["content"]["modified"]["cap"]["text"]
    assert "jo@example.com" not in masked
    assert dump(item)["result"]["content"]["modified"] == {
        "cap": {"type": "text", "text": masked},
        "pic": {"type": "image"},
        "link": linked,
    }
    assert not any(data[:60] in json.dumps(dump(each)) for kind in service.snapshot().values() for each in kind)


def test_nothing_is_kept_of_a_project_that_is_deleted_meanwhile() -> None:
    world = World()

    class Deleting(FakeModels):
        def scorer(self, *given: Any) -> Any:
            world.change(delete_project, world.key, world.project_id)
            return super().scorer(*given)

    moderation = Moderation(world.env, Engines(world.env, models=Deleting({"bad": {"toxicity": 0.97}})))
    with pytest.raises(NotFoundError, match="project"):
        moderation.submit(world.project_id, {"content": {"type": "text", "text": "fine"}, "authorId": "jo"})
    assert world.all(Item) == world.all(Author) == []


class Contended(MemoryStore):
    """A store where others are in the way so many times."""

    times = 0

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[Any]:
        with super().transaction(durable=durable) as tx:
            yield tx
            if self.times:
                self.times -= 1
                raise ContendedError("another transaction was in the way")


def test_who_gave_way_to_another_tries_again() -> None:
    store = Contended()
    service = Service(store=store)
    store.times = 3
    service.submit(authorId="jo", contentId="a")
    assert service.author().total_content == 1
    store.times = 100
    with pytest.raises(ContendedError):
        service.submit(authorId="jo", contentId="b")
