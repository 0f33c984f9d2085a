"""A chat in an app of your own, with the whole service in process: storage, review and webhooks, no second server.

    pip install "seemly[server]"
    uvicorn examples.chat_service:app

Messages are posted to /chat/{room}; the service itself lies under /moderation/v1, for moderators and other programs.
Run as a script it posts three messages to itself. It prints:

    ann: 'hello everyone' is shown
    bob: 'shut up you worthless idiot' is not shown
    ann: 'my number is 020 7946 0958' waits for a moderator; shown as 'my number is {{ phone hidden }}'
    1 waiting for review
"""

import tempfile
from contextlib import suppress
from pathlib import Path

from fastapi import FastAPI

from seemly.adapters.server.app import create_app
from seemly.adapters.store.sql_store import SqlStore
from seemly.core.errors import ConflictError
from seemly.service.base.environment import Environment
from seemly.service.base.ports import where
from seemly.service.base.records import Project, Queue
from seemly.service.management.setup import set_up
from seemly.service.moderation.engine_cache import Engines
from seemly.service.moderation.moderation import Moderation
from seemly.service.review.queues import find_items


class Chat:
    """What the routes need: a moderation over the store, and the project that messages belong to."""

    def __init__(self, database: str) -> None:
        self.store = SqlStore(database)
        self.store.migrate()
        self.env = Environment(self.store)
        with suppress(ConflictError), self.store.transaction() as tx:  # an earlier start may have set it up
            set_up(self.env, tx)
        with self.store.read() as tx:
            self.project_id = tx.find(Project)[0].id
        self.moderation = Moderation(self.env, Engines(self.env))

    def post(self, room: str, author: str, text: str) -> dict[str, str]:
        """What becomes of a message: the action, and the text as it may be shown."""
        request = {"content": {"type": "text", "text": text}, "authorId": author, "conversationId": room}
        result = self.moderation.submit(self.project_id, request)
        return {"action": result["recommendation"]["action"], "text": result["content"]["modified"] or text}

    def count_waiting(self) -> int:
        """How many messages moderators should look at."""
        with self.store.read() as tx:
            queue = tx.find(Queue, where("project_id", self.project_id))[0]
            found = find_items(self.env, tx, queue, limit=100)
        return sum(item.action == "review" for item in found.items)


def make_app(database: str) -> FastAPI:
    """The app, with the service mounted beside its own routes."""
    chat = Chat(database)
    service = create_app(chat.store, env=chat.env)
    app = FastAPI(lifespan=lambda _: service.router.lifespan_context(service))
    app.mount("/moderation", service)

    @app.post("/chat/{room}")
    def post(room: str, author: str, text: str) -> dict[str, str]:
        return chat.post(room, author, text)

    return app


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        chat = Chat(f"sqlite:///{Path(folder, 'chat.db')}")
        told = {"allow": "is shown", "review": "waits for a moderator", "reject": "is not shown"}
        for author, text in (
            ("ann", "hello everyone"),
            ("bob", "shut up you worthless idiot"),
            ("ann", "my number is 020 7946 0958"),
        ):
            answer = chat.post("lobby", author, text)
            masked = f"; shown as {answer['text']!r}" if answer["text"] != text else ""
            print(f"{author}: {text!r} {told[answer['action']]}{masked}")
        print(chat.count_waiting(), "waiting for review")
        chat.store.close()


def __getattr__(name: str) -> FastAPI:
    if name == "app":
        return make_app("sqlite:///chat.db")
    raise AttributeError(name)


if __name__ == "__main__":
    main()
