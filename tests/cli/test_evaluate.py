from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from seemly.core.channel import Channel, PolicySettings
from seemly.testing import FakeModels
from tests.support.cli_console import Outcome, Terminal, seemly
from tests.support.evaluation_fakes import draw_pairs, spread

PAIRS = draw_pairs(120)
SCORES, EXAMPLES = spread(PAIRS)
MODELS = FakeModels(SCORES)


def evaluate(*argv: object, terminal: bool = False) -> Outcome:
    stderr = Terminal() if terminal else None
    return seemly("evaluate", *map(str, argv), models=MODELS, stderr=stderr)


def count_right(threshold: float) -> int:
    return sum((score >= threshold) == (truth >= 0.5) for score, truth in PAIRS)


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    path = tmp_path / "labelled.jsonl"
    rows = [
        {"text": each.content, "toxicity": each.labels["toxicity"], "side": "even" if i % 2 else "odd"}
        for i, each in enumerate(EXAMPLES)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_figures_as_a_table(labelled: Path) -> None:
    outcome = evaluate(labelled)
    assert (outcome.code, outcome.stderr) == (0, "")
    lines = outcome.stdout.splitlines()
    assert lines[0] == "channel default: 120 examples, with 95% intervals"
    assert lines[1].split()[:4] == ["policy", "positive", "negative", "AUC"]
    positives = sum(truth >= 0.5 for _, truth in PAIRS)
    assert lines[2].split()[:3] == ["toxicity", str(positives), str(120 - positives)]
    assert len({len(line) for line in lines[1:3]}) == 1
    assert "action  positive  negative  unlabelled" in lines


def test_the_same_as_json(labelled: Path) -> None:
    (figures,) = evaluate(labelled, "--json", "--slice", "side,length").rows
    (toxicity,) = figures["policies"]
    confusion = toxicity["confusion"]
    assert confusion["tp"] + confusion["tn"] == count_right(0.5)
    assert [(each["attribute"], each["value"]) for each in figures["slices"]] == [
        ("side", "even"),
        ("side", "odd"),
        ("length", "0-19"),
    ]
    assert figures["fitted"] == []


def test_slices_are_tables(labelled: Path) -> None:
    lines = evaluate(labelled, "--slice", "side").stdout.splitlines()
    start = lines.index("by side, where there are enough examples of both kinds")
    assert [line.split()[0] for line in lines[start + 1 :]] == ["side", "even", "odd"]


def test_files_are_read_one_after_another(labelled: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.CSV"
    more.write_text("body,rude\nsomething fine,0\nsomething else,\n", encoding="utf-8")
    outcome = evaluate(more, "--text-field", "body", "--labels", "rude=toxicity", "--json")
    assert outcome.rows[0]["policies"][0]["negatives"] == 1
    renamed = tmp_path / "renamed.csv"
    renamed.write_text("text,toxicity\nsomething fine,no\n", encoding="utf-8")
    (figures,) = evaluate(labelled, renamed, "--labels", "toxicity", "--json").rows
    assert figures["examples"] == 121


def test_only_the_policies_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    path.write_text('{"text": "a", "toxicity": 0, "hate": 1}\n{"text": "b", "toxicity": 1, "hate": 0}\n', "utf-8")
    (figures,) = evaluate(path, "--policies", "hate", "--json").rows
    assert [each["id"] for each in figures["policies"]] == ["hate"]


def test_fitted_thresholds_go_into_a_channel(labelled: Path, tmp_path: Path) -> None:
    old, new = tmp_path / "old.toml", tmp_path / "new.json"
    old.write_text('key = "chat"\ntriage = "strict"\n', encoding="utf-8")
    outcome = evaluate(labelled, "--channel", old, "--fit", "precision>=0.9", "--out", new)
    assert outcome.code == 0
    assert f"wrote {new}" in outcome.stderr
    channel = Channel.load(new)
    (settings,) = channel.policies
    assert settings.threshold is not None
    assert replace(channel, policies=()) == Channel.load(old)
    flagged = [truth for score, truth in PAIRS if score >= settings.threshold]
    assert sum(flagged) / len(flagged) >= 0.9
    shown = outcome.stdout.splitlines()[-1].split()
    assert shown[:4] == ["toxicity", "precision>=0.9", "0.500", f"{settings.threshold:.3f}"]


def test_fitted_thresholds_as_json(labelled: Path) -> None:
    (figures,) = evaluate(labelled, "--fit", "f1", "--json").rows
    (fitted,) = figures["fitted"]
    assert (fitted["policy"], fitted["target"]) == ("toxicity", "f1")


def test_a_target_that_no_threshold_meets_costs_nothing_of_the_evaluation(labelled: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in labelled.read_text(encoding="utf-8").splitlines()]
    wrong = "".join(json.dumps({**row, "toxicity": 1.0 - row["toxicity"]}) + "\n" for row in rows)
    labelled.write_text(wrong + json.dumps({"text": "x" * 100_001, "toxicity": 0}) + "\n", encoding="utf-8")
    page, out = tmp_path / "report.html", tmp_path / "new.json"
    outcome = evaluate(labelled, "--fit", "precision>=0.99", "--report", page, "--out", out, "--json")
    assert outcome.code == 2
    assert "no threshold has precision>=0.99; the best is" in outcome.stderr
    assert "row 121.content" in outcome.stderr
    (figures,) = outcome.rows
    assert (figures["examples"], figures["fitted"]) == (120, [])
    assert "toxicity" in page.read_text(encoding="utf-8")
    assert not out.exists()
    assert "channel default: 120 examples" in evaluate(labelled, "--fit", "precision>=0.99").stdout


def test_a_target_is_read_before_the_files(tmp_path: Path) -> None:
    outcome = evaluate(tmp_path / "gone.jsonl", "--fit", "accuracy>=0.9")
    assert outcome.code == 2
    assert "a target must read" in outcome.stderr


def test_a_report(labelled: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    outcome = evaluate(labelled, "--fit", "f1", "--report", page)
    text = page.read_text(encoding="utf-8")
    assert outcome.code == 0
    assert "labelled.jsonl, tier cascade (text-fake fake), seemly 0.1.0" in text
    assert "fitted thresholds" in text
    assert evaluate(labelled, "--report", page).code == 2
    assert evaluate(labelled, "--report", page, "--force").code == 0
    assert "fitted thresholds" not in page.read_text(encoding="utf-8")


def test_rows_that_the_engine_refuses_are_told(labelled: Path) -> None:
    with labelled.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"text": "x" * 100_001, "toxicity": 0}) + "\n")
    outcome = evaluate(labelled, "--json")
    assert outcome.code == 1
    assert outcome.rows[0]["examples"] == 120
    assert "row 121.content" in outcome.stderr
    assert "xxx" not in outcome.stderr


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["--out", "new.json"], "give --fit too"),
        (["--fit", "f1", "--out", "new.toml"], "name this one .json"),
        (["--report", "report.pdf"], "name this one .html"),
        (["--report", "gone/report.html"], "there is no folder gone"),
        (["--fit", "precision>=2"], "a target must read"),
        (["--fit", "precision>=0.9", "--policies", "hate"], "the examples have no labels"),
        (["--slice", "colour"], "no example has the attribute 'colour'"),
        (["--labels", "toxicity=rudeness"], "labels.rudeness: no policy that runs"),
        (["--labels", "rude=toxicity"], "labels.rude: no row has such a column"),
        (["--text-field", "body"], "no row has the column 'body'"),
        (["--channel", "gone.toml"], "cannot be read"),
    ],
)
def test_what_cannot_work_is_told(
    argv: list[str], told: str, labelled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = evaluate(labelled, *argv)
    assert outcome.code == 2
    assert told in outcome.stderr
    assert not (tmp_path / "new.json").exists()


@pytest.mark.parametrize("name", ["gone.jsonl", "labelled.xml"])
def test_a_file_that_cannot_be_read(name: str, tmp_path: Path) -> None:
    (tmp_path / "labelled.xml").write_text("<a/>", encoding="utf-8")
    outcome = evaluate(tmp_path / name)
    assert outcome.code == 2
    assert str(tmp_path / name) in outcome.stderr


def test_a_channel_that_is_there_is_kept(labelled: Path, tmp_path: Path) -> None:
    out = tmp_path / "channel.json"
    out.write_text("precious", encoding="utf-8")
    outcome = evaluate(labelled, "--fit", "f1", "--out", out)
    assert (outcome.code, outcome.stdout) == (2, "")
    assert "is there already; --force overwrites it" in outcome.stderr
    assert out.read_text(encoding="utf-8") == "precious"
    assert evaluate(labelled, "--fit", "f1", "--out", out, "--force").code == 0
    assert Channel.load(out).policies[0].id == "toxicity"


def test_progress_is_for_a_terminal_that_wants_it(labelled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evaluate(labelled, terminal=True)
    assert "done" in capsys.readouterr().err
    evaluate(labelled, "--quiet", terminal=True)
    evaluate(labelled)
    assert capsys.readouterr().err == ""


def test_a_threshold_of_the_channel_is_the_one_measured(labelled: Path, tmp_path: Path) -> None:
    path = tmp_path / "channel.json"
    settings = PolicySettings("toxicity", threshold=0.9)
    path.write_text(json.dumps(Channel(policies=(settings,)).dump()), encoding="utf-8")
    (figures,) = evaluate(labelled, "--channel", path, "--json").rows
    confusion = figures["policies"][0]["confusion"]
    assert confusion["tp"] + confusion["tn"] == count_right(0.9)
