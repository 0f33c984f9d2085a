"""The console in a real browser: keys alone, undo in time, marks, no accessibility violation, no breach of the policy."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.console import CLIENTS, PASSWORD, Reviewer, show_all

pytest.importorskip("playwright", reason='needs playwright: pip install "seemly[test-console]"')

from playwright.sync_api import Browser, Page, expect, sync_playwright

from seemly.service.base.records import Item
from seemly.service.review.decisions import UNDO_MS, release_due
from tests.support.service_server import Service, serving

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium: apt-get install chromium")

WAIT_MS = 15_000


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("console")) as running, CLIENTS:
        show_all(running)
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


class Screen:
    """A member's browser, and what it complained of."""

    def __init__(self, browser: Browser, reviewer: Reviewer, **options: Any) -> None:
        self.reviewer = reviewer
        self.complaints: list[str] = []
        self.context = browser.new_context(**options)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(WAIT_MS)
        self.page.on("console", lambda told: self.complaints.append(told.text) if told.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(f"{reviewer.base}/sign-in")
        self.page.get_by_label("E-mail address").fill(reviewer.email)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url("**/queues")

    def open(self, path: str) -> Page:
        self.page.goto(self.reviewer.base + path)
        return self.page


@pytest.fixture
def screen(browser: Browser, service: Service) -> Iterator[Screen]:
    made = Screen(browser, Reviewer(service, "admin"))
    yield made
    made.context.close()
    assert made.complaints == []


def submit(service: Service, text: str, author: str, **more: Any) -> str:
    content_id = service.new("content")
    service.moderate(text, contentId=content_id, authorId=author, **more)
    return content_id


def status(service: Service, content_id: str) -> str:
    return next(str(each.status) for each in service.all(Item) if each.content_id == content_id)


def test_a_queue_is_reviewed_by_keys_alone(service: Service, screen: Screen) -> None:
    ids = [submit(service, f"bad {number}", "keys") for number in range(3)]
    page = screen.open(f"{screen.reviewer.queue()}?author=keys&sort=oldest")
    page.keyboard.press("g")
    expect(page.get_by_text("1 of 3")).to_be_visible()
    expect(page.locator("#content")).to_contain_text("bad 0")
    page.keyboard.press("n")
    expect(page.locator("#content")).to_contain_text("bad 1")
    page.keyboard.press("p")
    expect(page.locator("#content")).to_contain_text("bad 0")
    page.keyboard.press("r")
    expect(page.locator("#content")).to_contain_text("bad 1")
    page.keyboard.press("z")
    expect(page.locator("#content")).to_contain_text("bad 0")
    page.keyboard.press("c")
    page.keyboard.type("rude? no")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    expect(page.locator("#content")).to_contain_text("bad 1")
    page.keyboard.press("a")
    expect(page.locator("#content")).to_contain_text("bad 2")
    page.keyboard.press("r")
    expect(page.get_by_role("heading", name="Nothing left")).to_be_visible()
    expect(page.locator("[data-undo]")).to_have_count(0, timeout=WAIT_MS)
    # The server does it by itself, when the time to undo is over.
    page.wait_for_timeout(1_000)
    assert [status(service, each) for each in ids] == ["resolved"] * 3


def test_the_keys_are_listed(service: Service, screen: Screen) -> None:
    submit(service, "bad", "help")
    page = screen.open(f"{screen.reviewer.queue()}/review?author=help")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    for key, what in (("a", "Allow"), ("r", "Reject"), ("s", "Suspend author"), ("c", "Comment")):
        expect(dialog.locator(f"dt:has(kbd:text-is('{key}')) + dd")).to_have_text(what)
    page.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()
    page.keyboard.press("s")
    expect(page.get_by_label("For how long")).to_be_focused()


def test_words_that_carried_a_score_are_marked_after_the_page_is_there(service: Service, screen: Screen) -> None:
    submit(service, "bad", "marked")
    page = screen.open(f"{screen.reviewer.queue()}/review?author=marked")
    expect(page.locator("#content mark")).to_contain_text("bad")
    expect(page.locator("#content .decision")).to_contain_text("toxicity")


def test_two_reviewers_are_handed_different_items(browser: Browser, service: Service, screen: Screen) -> None:
    for number in range(2):
        submit(service, f"bad {number}", "pair")
    other = Screen(browser, Reviewer(service))
    path = f"{screen.reviewer.queue()}/review?author=pair&sort=oldest"
    expect(screen.open(path).locator("#content")).to_contain_text("bad 0")
    expect(other.open(path).locator("#content")).to_contain_text("bad 1")
    other.open(f"{screen.reviewer.queue()}?author=pair")
    expect(other.page.get_by_text(f"open at {screen.reviewer.member.name}")).to_be_visible()
    other.context.close()
    assert other.complaints == []


def test_a_selection_is_decided_and_undone(service: Service, screen: Screen) -> None:
    ids = [submit(service, f"bad {number}", "selected") for number in range(3)]
    page = screen.open(f"{screen.reviewer.queue()}?author=selected")
    page.get_by_label("Select all on this page").check()
    page.get_by_role("button", name="Decide on the selected").click()
    expect(page.get_by_role("heading", name="Decide on 3 items")).to_be_visible()
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_text("Rejected: 3 items")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("list", name="Items").get_by_role("listitem")).to_have_count(3)
    assert {status(service, each) for each in ids} == {"pending"}


def test_a_moved_threshold_tells_at_once_what_it_would_do(service: Service, screen: Screen) -> None:
    for text, action in (("bad", "reject"), ("so so", "allow")):
        content_id = submit(service, text, "tuned")
        item = next(each for each in service.all(Item) if each.content_id == content_id)
        assert screen.reviewer.decide(item, action).status_code == 200
    service.clock.ahead_ms += UNDO_MS
    release_due(service.env)
    page = screen.open(f"{screen.reviewer.project}/channels/{service.channel_id}")
    policy = page.locator("fieldset", has=page.locator("legend", has_text=re.compile("^toxicity$")))
    then = policy.locator("[data-then]")
    policy.get_by_role("slider").fill("0")
    expect(then).to_contain_text("recall 100 %")
    policy.get_by_role("slider").fill("1")
    expect(then).to_have_text("Then, at 1: flags 0, precision –, recall 0 %.")
    expect(policy.locator(".tried")).to_have_attribute("x1", "400")


def test_scripts_in_content_do_not_run(service: Service, screen: Screen) -> None:
    script = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    submit(service, script, script, metadata={script: script}, conversationId=script)
    page = screen.open(f"{screen.reviewer.queue()}/review")
    expect(page.locator("[data-marked]")).to_have_count(1)
    expect(page.locator("#content")).to_contain_text("<script>")
    assert "owned" not in page.title()


VIEWS = [
    {"color_scheme": "light"},
    {"color_scheme": "dark"},
    {"color_scheme": "light", "viewport": {"width": 360, "height": 740}},
]


@pytest.mark.parametrize("view", VIEWS, ids=["light", "dark", "narrow"])
def test_axe_finds_nothing(browser: Browser, service: Service, view: dict[str, Any]) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason='needs axe: pip install "seemly[test-console]"'
    ).Axe()
    reviewer = Reviewer(service, "admin")
    content_id = submit(service, "bad, write to jo@example.com", "axe", conversationId="axe", metadata={"a": "b"})
    submit(service, "so so", "axe", conversationId="axe")
    item = next(each for each in service.all(Item) if each.content_id == content_id)
    screen = Screen(browser, reviewer, **view)
    project, queue = reviewer.project, reviewer.queue()
    paths = [
        f"{project}/queues", f"{queue}?author=axe&policy=toxicity&status=all", f"{queue}/review?author=axe",
        f"{project}/items/{item.id}?explain=1", f"{project}/authors", f"{project}/authors/{item.author_id}",
        "/account", f"{project}/nothing", *reviewer.more_pages(),
    ]  # fmt: skip
    found = {}
    for path in paths:
        page = screen.open(path)
        if violations := axe.run(page).response["violations"]:
            found[path] = [(each["id"], each["nodes"][0]["html"][:200]) for each in violations]
        # Nothing is wider than the window.
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0, path
    screen.context.close()
    assert found == {}
