from __future__ import annotations

import json
from pathlib import Path

import pytest

from seemly.core.channel import Channel, PolicySettings
from seemly.evaluation import calibrate as fit
from seemly.testing import FakeModels
from tests.support.cli_console import Outcome, seemly
from tests.support.evaluation_fakes import build_engine, draw_pairs, spread

SCORES, EXAMPLES = spread(draw_pairs(300))


def calibrate(*argv: object) -> Outcome:
    return seemly("calibrate", *map(str, argv), models=FakeModels(SCORES))


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    path = tmp_path / "labelled.jsonl"
    rows = [{"text": each.content, "rude": each.labels["toxicity"], "hate": 0} for each in EXAMPLES]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_writes_the_channel_that_the_library_gives(method: str, labelled: Path, tmp_path: Path) -> None:
    old, out = tmp_path / "old.json", tmp_path / "new.json"
    given = Channel(key="chat", policies=(PolicySettings("toxicity", threshold=0.7, weight=0.5),))
    old.write_text(json.dumps(given.dump()), encoding="utf-8")
    outcome = calibrate(labelled, "--labels", "rude=toxicity", "--channel", old, "--method", method, "--out", out)
    assert outcome.code == 0
    assert Channel.load(out) == fit(build_engine(SCORES, given), EXAMPLES, method=method)  # type: ignore[arg-type]
    header, row = outcome.stdout.splitlines()[1:]
    assert header.split() == ["policy", "0.1", "0.3", "0.5", "0.7", "0.9"]
    (settings,) = Channel.load(out).policies
    assert settings.calibration is not None
    assert row.split() == ["toxicity", *(f"{settings.calibration(at):.3f}" for at in (0.1, 0.3, 0.5, 0.7, 0.9))]


def test_the_fitted_map_as_json(labelled: Path, tmp_path: Path) -> None:
    out = tmp_path / "new.json"
    (told,) = calibrate(labelled, "--labels", "rude=toxicity", "--out", out, "--json").rows
    (settings,) = Channel.load(out).policies
    assert settings.calibration is not None
    assert list(told["calibrations"]) == ["toxicity"]
    assert tuple(told["calibrations"]["toxicity"]["scores"]) == settings.calibration.scores


def test_a_calibration_that_another_policy_has_is_kept_and_not_told(labelled: Path, tmp_path: Path) -> None:
    old, out = tmp_path / "old.json", tmp_path / "new.json"
    first = fit(build_engine(SCORES), EXAMPLES)
    old.write_text(json.dumps(first.dump()).replace('"toxicity"', '"spam"'), encoding="utf-8")
    outcome = calibrate(labelled, "--labels", "rude=toxicity", "--channel", old, "--out", out)
    assert "spam" not in outcome.stdout
    assert {each.id for each in Channel.load(out).policies if each.calibration is not None} == {"spam", "toxicity"}


def test_too_few_labels_are_told_and_nothing_is_written(labelled: Path, tmp_path: Path) -> None:
    out = tmp_path / "new.json"
    outcome = calibrate(labelled, "--labels", "hate", "--out", out)
    assert outcome.code == 2
    assert "hate: has 0 positive and 300 negative examples, and platt needs 10 of each" in outcome.stderr
    assert not out.exists()


def test_rows_that_the_engine_refuses_are_told(labelled: Path, tmp_path: Path) -> None:
    with labelled.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"text": "x" * 100_001, "rude": 0}) + "\n")
    out = tmp_path / "new.json"
    outcome = calibrate(labelled, "--labels", "rude=toxicity", "--out", out)
    assert outcome.code == 1
    assert "row 301.content.text: must have at most" in outcome.stderr
    assert Channel.load(out) == fit(build_engine(SCORES), EXAMPLES)


def test_a_file_that_is_there_is_kept(labelled: Path) -> None:
    outcome = calibrate(labelled, "--labels", "rude=toxicity", "--out", labelled.with_suffix(".json"))
    assert outcome.code == 0
    again = calibrate(labelled, "--labels", "rude=toxicity", "--out", labelled.with_suffix(".json"))
    assert again.code == 2
    assert "--force overwrites it" in again.stderr


def test_the_file_of_the_channel_must_be_named(labelled: Path) -> None:
    outcome = calibrate(labelled)
    assert outcome.code == 2
    assert "--out" in outcome.stderr
