"""Screenshots of the console over the demo's community: python docs/screenshots.py FOLDER.

Needs "seemly[server,test-console]" and a Chromium.
"""

from __future__ import annotations

import argparse
import shutil
import socket
import tempfile
import threading
import time
from pathlib import Path

import uvicorn
from playwright.sync_api import Page, sync_playwright

from seemly.adapters.server.app import create_app
from seemly.adapters.store.sql_store import SqlStore
from seemly.cli.demo import fill
from seemly.service.access.sign_in import invite
from seemly.service.base.environment import Environment
from seemly.service.base.ports import where
from seemly.service.base.records import Item, Member, Project, Queue

PASSWORD = "a long password"  # noqa: S105  (of a database that is thrown away)

VIEWS = {
    "light": {"color_scheme": "light", "viewport": {"width": 1280, "height": 860}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1280, "height": 860}},
    "narrow": {"color_scheme": "light", "viewport": {"width": 390, "height": 844}},
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Make screenshots of the console.")
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        store = SqlStore(f"sqlite:///{made}/demo.db")
        store.migrate()
        fill(store)
        with store.transaction() as tx:
            owner = next(each for each in tx.find(Member) if each.role == "owner")
            secret = invite(Environment(store), tx, owner).secret
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            server = uvicorn.Server(uvicorn.Config(create_app(store), log_config=None))
            thread = threading.Thread(target=server.run, args=([listening],))
            thread.start()
            while not server.started:
                time.sleep(0.05)
            try:
                shoot(store, f"http://127.0.0.1:{listening.getsockname()[1]}/console", secret, folder)
            finally:
                server.should_exit = True
                thread.join()


def shoot(store: SqlStore, base: str, secret: str, folder: Path) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        first = browser.new_page()
        first.goto(f"{base}/welcome/{secret}")
        first.get_by_label("E-mail address").fill("owner@example.org")
        first.get_by_label("Password", exact=True).fill(PASSWORD)
        first.get_by_label("The password again").fill(PASSWORD)
        first.get_by_role("button", name="Set the password").click()
        first.wait_for_url("**/queues")
        for name, view in VIEWS.items():
            page = browser.new_context(**view).new_page()  # type: ignore[arg-type]
            page.goto(f"{base}/sign-in")
            page.screenshot(path=folder / f"sign-in-{name}.png")
            page.get_by_label("E-mail address").fill("owner@example.org")
            page.get_by_label("Password").fill(PASSWORD)
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url("**/queues")
            for what, path in pages_of(store).items():
                page.goto(base + path)
                page.wait_for_timeout(600)
                page.screenshot(path=folder / f"{what}-{name}.png")
                tell(page, what)
        browser.close()


def pages_of(store: SqlStore) -> dict[str, str]:
    """The paths of the pages."""
    with store.read() as tx:
        project, queue = tx.find(Project)[0], tx.find(Queue)[0]
        worst = max(tx.find(Item, where("status", "pending")), key=lambda each: each.severity)
    here = f"/p/{project.id}"
    return {
        "overview": f"{here}/overview",
        "queues": f"{here}/queues",
        "queue": f"{here}/q/{queue.id}?sort=worst",
        "review": f"{here}/q/{queue.id}/review?sort=worst",
        "author": f"{here}/authors/{worst.author_id}",
        "authors": f"{here}/authors",
        "wordlists": f"{here}/wordlists",
        "webhooks": f"{here}/webhooks",
        "settings": f"{here}/settings",
        "account": "/account",
        "members": "/members",
        "keys": "/keys",
        "audit": "/audit",
    }


def tell(page: Page, what: str) -> None:
    print(what, page.title())


if __name__ == "__main__":
    main()
