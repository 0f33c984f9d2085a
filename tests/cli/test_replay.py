from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.cli_console import Outcome, seemly

TEXTS = ("fine", "look at this", "away with this", "look at this")


def replay(*argv: object) -> Outcome:
    return seemly("replay", *map(str, argv))


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """Texts that the fake models know: 0.7 and 0.99 for toxicity. A column is named as a policy, but holds none."""
    path = tmp_path / "history.csv"
    path.write_text("text,toxicity\n" + "".join(f"{text},who knows\n" for text in TEXTS), encoding="utf-8")
    return path


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    path = tmp_path / "draft.toml"
    path.write_text('key = "draft"\n[[policies]]\nid = "toxicity"\nthreshold = 0.8\n', encoding="utf-8")
    return path


def test_what_would_change_as_tables(history: Path, draft: Path) -> None:
    outcome = replay(history, "--new", draft)
    assert (outcome.code, outcome.stderr) == (0, "")
    lines = outcome.stdout.splitlines()
    assert lines[0] == "channel default → draft: 2 of 4 examples change"
    assert [line.split() for line in lines[2:5]] == [
        ["review", "allow", "2"],
        ["allow", "allow", "1"],
        ["reject", "reject", "1"],
    ]
    assert "toxicity              0                  2              1" in lines
    assert [line.split()[:3] for line in lines[-2:]] == [["2", "review", "allow"], ["4", "review", "allow"]]
    assert all(line.endswith("look at this") for line in lines[-2:])


def test_the_same_as_json(history: Path, draft: Path) -> None:
    (found,) = replay(history, "--new", draft, "--json").rows
    assert (found["old"], found["new"], found["examples"], found["changed"]) == ("default", "draft", 4, 2)


def test_nothing_changes(history: Path, draft: Path) -> None:
    outcome = replay(history, "--channel", draft, "--new", draft)
    assert outcome.stdout.startswith("channel draft → draft: 0 of 4 examples change")
    assert "examples that change" not in outcome.stdout


def test_a_report(history: Path, draft: Path, tmp_path: Path) -> None:
    page = tmp_path / "replay.html"
    outcome = replay(history, "--new", draft, "--report", page)
    assert outcome.code == 0
    assert f"wrote {page}" in outcome.stderr
    assert "<td>look at this</td>" in page.read_text(encoding="utf-8")
    assert "history.csv, tier cascade (text-fake fake)" in page.read_text(encoding="utf-8")


def test_rows_that_the_engine_refuses_are_told(draft: Path, tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in ("x" * 100_001, *TEXTS)), encoding="utf-8")
    outcome = replay(path, "--new", draft)
    assert outcome.code == 1
    assert "row 1.content" in outcome.stderr
    assert "2 of 4 examples change" in outcome.stdout


def test_rows_of_another_channel_are_left_out_and_told(draft: Path, tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    rows: list[dict[str, str]] = [{"text": text} for text in TEXTS]
    rows.insert(1, {"content": "look at this", "channel": "another"})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    outcome = replay(path, "--new", draft)
    assert outcome.code == 1
    assert "row 2.channel: names another channel" in outcome.stderr
    assert "2 of 4 examples change" in outcome.stdout


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("contextEnabled = true\n", "context_enabled: changes what is found"),
        ('[[wordlists]]\nkey = "names"\nwords = ["acme"]\n', "wordlists.names: changes what is found"),
        ("nonsense = 1\n", "nonsense"),
    ],
)
def test_a_draft_that_cannot_be_replayed(change: str, told: str, history: Path, tmp_path: Path) -> None:
    path = tmp_path / "draft.toml"
    path.write_text(change, encoding="utf-8")
    outcome = replay(history, "--new", path)
    assert (outcome.code, outcome.stdout) == (2, "")
    assert told in outcome.stderr


def test_a_draft_is_needed(history: Path) -> None:
    assert replay(history).code == 2
