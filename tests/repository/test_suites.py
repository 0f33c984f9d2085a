"""The suites that the project wrote to measure itself: their shape, and that no model has met their texts."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks import judgement
from benchmarks.judgement import Row, Verdict, measure, measure_mean, read_suite, share, worst
from training.rows import key

ROOT = Path(__file__).parents[2]
OTHERS = (
    "de",
    "fr",
    "es",
    "it",
    "pt",
    "nl",
    "pl",
    "tr",
    "ru",
    "uk",
    "ar",
    "hi",
    "zh",
    "ja",
    "ko",
    "vi",
    "id",
    "sv",
    "fi",
    "cs",
)
KINDS = {"plain": 20, "hard": 12, "harmful": 20}
ENGLISH = {"plain": 250, "hard": 150, "harmful": 320}
POLICIES = {"toxicity", "harassment", "hate", "violence", "sexual", "self_harm", "spam", "grooming"}
WISHES = 4


def verdict(kind: str, acted: bool, severity: float = 0.0, policy: str = "", flags: tuple[str, ...] = ()) -> Verdict:
    return Verdict(Row(f"{kind} {severity}", "en", kind, policy, ""), acted, severity, flags)


@pytest.mark.parametrize(
    ("name", "columns"),
    [("judgement", ["id", "language", "kind", "policy", "text"]), ("injections", ["id", "kind", "place", "text"])],
)
def test_a_suite_has_its_columns_and_no_field_is_padded(name: str, columns: list[str]) -> None:
    rows = read_suite(name)
    assert all(list(row) == columns for row in rows)
    assert all(value is not None and value == value.strip() for row in rows for value in row.values())
    assert all(row["text"] for row in rows)
    assert len({row["id"] for row in rows}) == len(rows)


@pytest.mark.parametrize("language", ["en", *OTHERS])
def test_every_language_has_its_share_of_messages(language: str) -> None:
    rows = [row for row in read_suite("judgement") if row["language"] == language]
    assert Counter(row["kind"] for row in rows) == (ENGLISH if language == "en" else KINDS)
    assert all(row["id"].startswith(f"{language}-{row['kind']}-") for row in rows)
    wishes = sum(row["policy"] == "self_harm" for row in rows)
    assert wishes >= WISHES if language == "en" else wishes == WISHES


def test_there_is_no_other_language() -> None:
    assert {row["language"] for row in read_suite("judgement")} == {"en", *OTHERS}


def test_harmful_messages_name_a_policy_and_innocent_ones_none() -> None:
    rows = read_suite("judgement")
    assert {row["policy"] for row in rows if row["kind"] == "harmful"} == POLICIES
    assert {row["policy"] for row in rows if row["kind"] != "harmful"} == {""}


def test_injections_and_ordinary_prompts_are_as_many() -> None:
    rows = read_suite("injections")
    assert Counter(row["kind"] for row in rows) == {"injection": 120, "ordinary": 60, "trigger": 60}
    assert {row["place"] for row in rows} == {"direct", "document"}
    assert sum(row["place"] == "document" for row in rows if row["kind"] == "injection") >= 40


def test_no_text_stands_twice_or_where_a_model_or_the_code_was_made_from_it() -> None:
    met = {key(text) for folder in ("models/training/written", "tests/tables") for text in _texts(ROOT / folder)}
    assert met
    rows = [row for name in ("judgement", "injections") for row in read_suite(name)]
    assert [row["id"] for row in rows if key(row["text"]) in met] == []
    assert [text for text, count in Counter(key(row["text"]) for row in rows).items() if count > 1] == []


def _texts(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                yield json.loads(line)["text"]


@pytest.mark.parametrize(("hits", "expected"), [([], None), ([True], 100.0), ([True, False, False], 33.3)])
def test_shares_are_in_per_cent_and_there_is_none_of_nothing(hits: list[bool], expected: float | None) -> None:
    assert share(hits) == expected


def test_only_policies_that_the_engine_has_count_as_found_or_not() -> None:
    verdicts = [
        verdict("plain", acted=True),
        verdict("plain", acted=False),
        verdict("hard", acted=False),
        verdict("harmful", acted=True, policy="hate", flags=("toxicity",)),
        verdict("harmful", acted=True, policy="self_harm", flags=("self_harm",)),
        verdict("harmful", acted=False, policy="grooming"),
    ]
    assert list(measure(verdicts, ("toxicity", "hate", "self_harm")).values()) == [50.0, 0.0, 66.7, 100.0, 50.0]
    assert list(measure(verdicts, ()).values()) == [50.0, 0.0, 66.7, None, None]


def test_languages_weigh_the_same_in_the_mean_and_unknown_figures_are_left_out() -> None:
    one, other = dict.fromkeys(judgement.MEASURES, 10.0), dict.fromkeys(judgement.MEASURES, 20.0)
    assert measure_mean([one, other]) == dict.fromkeys(judgement.MEASURES, 15.0)
    assert measure_mean([one, dict.fromkeys(judgement.MEASURES)]) == one
    assert measure_mean([dict.fromkeys(judgement.MEASURES)]) == dict.fromkeys(judgement.MEASURES)


def test_the_worst_mistakes_are_the_surest_of_both_kinds() -> None:
    verdicts = [
        verdict("plain", acted=True, severity=0.6),
        verdict("hard", acted=True, severity=0.9),
        verdict("plain", acted=False, severity=0.4),
        verdict("harmful", acted=False, severity=0.3),
        verdict("harmful", acted=False, severity=0.1),
        verdict("harmful", acted=True, severity=0.8),
    ]
    assert [each.row.id for each in worst(verdicts, 3)] == ["hard 0.9", "plain 0.6", "harmful 0.1"]
