"""How fast the console's pages are over a queue of many items: python benchmarks/console.py [ITEMS].

Needs "seemly[server]" and httpx. The times are those that a client on the same machine sees, medians of several.
"""

from __future__ import annotations

import argparse
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace

import httpx
import uvicorn

from seemly.adapters.server.app import create_app
from seemly.adapters.store.sql_store import SqlStore
from seemly.service.access.sessions import make_form_token, open_session
from seemly.service.base.environment import Environment
from seemly.service.base.records import Item, Queue
from seemly.service.management.setup import set_up
from seemly.service.moderation.engine_cache import Engines
from seemly.service.moderation.moderation import Moderation

ROUNDS = 15


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the console over a long queue.")
    parser.add_argument("items", nargs="?", type=int, default=10_000)
    items = parser.parse_args().items
    with tempfile.TemporaryDirectory() as folder:
        store = SqlStore(f"sqlite:///{folder}/seemly.db")
        store.migrate()
        env = Environment(store)
        with store.transaction() as tx:
            made = set_up(env, tx)
            secret = open_session(env, tx, made.owner).secret
        Moderation(env, Engines(env, tier="fast")).submit(made.project_id, "you are a worthless idiot")
        with store.transaction() as tx:
            first = tx.find(Item)[0]
            tx.add_all([copy_of(first, number) for number in range(items)])
            queue_id = tx.find(Queue)[0].id
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            server = uvicorn.Server(uvicorn.Config(create_app(store), log_config=None))
            thread = threading.Thread(target=server.run, args=([listening],))
            thread.start()
            while not server.started:
                time.sleep(0.05)
            url = f"http://127.0.0.1:{listening.getsockname()[1]}"
            cookies = {"seemly_session": secret}
            with httpx.Client(base_url=url, cookies=cookies, follow_redirects=True, timeout=60.0) as http:
                measure(http, f"/console/p/{made.project_id}", queue_id, make_form_token(secret), items)
            server.should_exit = True
            thread.join()
        store.close()


def copy_of(item: Item, number: int) -> Item:
    times = {"created_ms": item.created_ms - number * 1000, "timestamp_ms": item.timestamp_ms - number * 1000}
    text = f"{item.text} {number}"
    return replace(
        item, id=f"item_{number:06}", content_id=f"c{number}", text=text, severity=number % 100 / 100, **times
    )


def measure(http: httpx.Client, project: str, queue_id: str, token: str, items: int) -> None:
    queue = f"{project}/q/{queue_id}"
    action = next(each for each in http.get(f"{project}/items/item_000000").text.split('value="') if "act_" in each[:5])
    decided = iter(range(items))

    def decide() -> httpx.Response:
        fields = {"itemIds": f"item_{next(decided):06}", "actionId": action.partition('"')[0]}
        return http.post(f"{project}/decide", data={**fields, "token": token, "queueId": queue_id, "at": "0"})

    print(f"{items} items, milliseconds")
    tell("first page, newest first", lambda: http.get(queue))
    tell("first page, worst first", lambda: http.get(f"{queue}?sort=worst"))
    tell("first page, one policy", lambda: http.get(f"{queue}?policy=toxicity"))
    tell("one item of the queue", lambda: http.get(f"{queue}/review"))
    tell("decide and next", decide)


def tell(what: str, ask: Callable[[], httpx.Response]) -> None:
    took = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        answer = ask()
        took.append(1000 * (time.perf_counter() - began))
        answer.raise_for_status()
    print(f"{what:<26}{statistics.median(took):8.1f}")


if __name__ == "__main__":
    main()
