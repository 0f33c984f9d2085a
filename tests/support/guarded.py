"""An engine for the tests of the guards: rejects what is forbidden, masks what is personal."""

from __future__ import annotations

from seemly.adapters.guards.text_guard import Checked, TextGuard
from seemly.core.channel import Channel, Triage, Wordlist
from seemly.engine.engine import Engine

ENGINE = Engine(
    Channel(key="guard", wordlists=(Wordlist("banned", ("forbidden",)),), triage=Triage(0.5, 0.95)), tier="fast"
)
MAIL = "Write to jo@example.org"
MASKED = "Write to {{ email hidden }}"
BAD = "This is forbidden"


def make_guard(**how: object) -> tuple[TextGuard, list[Checked]]:
    """A guard, and the list of all that it reports."""
    seen: list[Checked] = []
    return TextGuard(ENGINE, report=seen.append, **how), seen  # type: ignore[arg-type]
