"""The label table and the rules for duplicates and splits, on small made-up data. Needs neither torch nor the data."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from training import identities
from training.accurate.bands import TOXIC, bands, traffic
from training.accurate.dataset import LENGTH, REVIEW, encode, first_stage, second_stage
from training.augment import babble, disturb
from training.reading import every_text, read_json, read_lines, read_table
from training.rows import LABELS, Row, digest, key, merge, split_of
from training.rules import (
    ASSUMED,
    ASSUMED_CLEAN,
    HARMS,
    RARE,
    Source,
    column,
    equals,
    has,
    votes,
)
from training.table import SOURCES, written

from seemly.inference.tokenizer import SPECIAL, WordPieceTokenizer

MODELS = Path(__file__).parents[2] / "models"
BY_NAME = {source.name: source for source in SOURCES}


def source(**changes: object) -> Source:
    given = {"name": "made-up", "licence": "CC0", "read": lambda _: iter(()), "labels": {"toxicity": column("toxic")}}
    return Source(**given | changes)


def row(text: str, source: str = "a", weight: float = 1.0, **labels: float) -> Row:
    return Row(text, labels, source, "en", weight)


@pytest.mark.parametrize(
    ("value", "expected"), [("1", 1.0), ("0", 0.0), ("0.4", 0.4), ("-1", None), ("", None), ("x", None), (None, None)]
)
def test_a_column_is_a_number_or_unknown(value: str | None, expected: float | None) -> None:
    assert column("toxic")({"toxic": value}) == expected


def test_rules_of_words_and_votes() -> None:
    assert equals("label", "hate", "slur", value=0.8)({"label": "slur"}) == 0.8
    assert equals("label", "hate")({"label": "none"}) == 0.0
    assert has("labels", "hate")({"labels": "offensive, hate"}) == 1.0
    assert has("labels", "hate")({"labels": "hateful"}) == 0.0
    assert [votes("a", "b")({"a": "0", "b": n}) for n in ("0", "1.0", "2", "3")] == [0.0, 0.5, 0.95, 1.0]


def test_a_clean_text_is_none_of_the_harms() -> None:
    found = source().row({"text": "good day", "toxic": "0"})
    assert found.labels["toxicity"] == 0.0
    assert all(found.labels[label] == 0.0 for label in HARMS)
    assert "profanity" not in found.labels


def test_a_toxic_text_leaves_what_was_not_annotated_unknown() -> None:
    found = source(weight=0.5).row({"text": "rubbish", "toxic": "1"})
    assert set(found.labels) == {"toxicity", *RARE}
    assert found.weights == dict.fromkeys(RARE, 0.5 * ASSUMED)
    clean = source(weight=0.5).row({"text": "rubbish bin", "toxic": "0"})
    assert clean.weights == dict.fromkeys(RARE, 0.5 * ASSUMED_CLEAN)


@pytest.mark.parametrize(
    ("text", "label"), [("kill yourself", "self_harm"), ("suck my", "sexual"), ("click www.x.test", "spam")]
)
def test_a_word_that_speaks_against_it_makes_an_assumed_label_unknown(text: str, label: str) -> None:
    assert label not in source().row({"text": text, "toxic": "0.5"}).labels


def test_plain_threats_and_calls_to_suicide_in_toxic_texts_count() -> None:
    assert source().row({"text": "i will kill you", "toxic": "1"}).labels["threat"] == 0.9
    assert source().row({"text": "go hang yourself", "toxic": "1"}).labels["self_harm"] == 0.9
    assert source().row({"text": "i will kill you", "toxic": "0"}).labels["threat"] == 0.0


def test_what_tells_a_set_from_the_world_is_removed() -> None:
    found = source().row({"text": "!!! RT @someone: a &amp; b https://t.co/abc [USER]", "toxic": "1"})
    assert found.text == "a & b  @user"


@pytest.mark.parametrize(
    ("name", "record", "labels"),
    [
        (
            "jigsaw",
            dict(zip(["toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate"], "101010", strict=True)),
            {"toxicity": 1, "toxicity_severe": 0, "profanity": 1, "threat": 0, "violence": 0, "insult": 1, "hate": 0},
        ),
        ("edos", {"label_sexist": "sexist", "label_category": "1. threats"}, {"hate": 1, "violence": 1}),
        ("davidson", {"count": "3", "hate_speech": "1", "neither": "0"}, {"toxicity": 1, "hate": 1 / 3}),
        ("germeval2018", {"coarse": "OFFENSE", "fine": "PROFANITY"}, {"toxicity": 1, "profanity": 1, "hate": 0}),
        ("kmhas", {"label": "6,7"}, {"toxicity": 1, "hate": 1, "profanity": 1}),
        ("kmhas", {"label": "8"}, {"toxicity": 0, "hate": 0, "profanity": 0}),
        ("sms_spam", {"Label": "spam"}, {"spam": 1, "hate": 0}),
        ("smishing", {"LABEL": "Smishing"}, {"spam": 1}),
        ("cold", {"label": "0"}, {"toxicity": 0, "hate": 0, "insult": 0}),
        ("korean_hate", {"hate": "none"}, {"toxicity": 0, "hate": 0}),
        ("constraint_hindi", {"Labels Set": "defamation,offensive"}, {"toxicity": 1, "hate": 0}),
        ("pickup_lines", {}, {"flirtation": 1}),
    ],
)
def test_what_the_table_says_of_a_record(name: str, record: dict[str, str], labels: dict[str, float]) -> None:
    known = BY_NAME[name]
    found = known.row({known.text: "some words", **record}).labels
    assert {label: found.get(label) for label in labels} == pytest.approx(labels)


def test_every_source_is_named_once_licensed_and_names_labels_that_there_are() -> None:
    assert [name for name, count in Counter(s.name for s in SOURCES).items() if count > 1] == []
    for known in SOURCES:
        assert known.licence
        assert {*known.labels, *known.assumed, *known.weights} <= set(LABELS)
        assert 0 < known.weight <= 2


def test_written_examples_name_labels_that_there_are() -> None:
    for found in written(MODELS / "training" / "written"):
        assert found.text.strip()
        assert set(found.labels) <= set(LABELS)
        assert all(0.0 <= value <= 1.0 for value in found.labels.values())


def test_sentences_about_groups_are_the_same_for_every_group() -> None:
    found = list(identities.rows())
    kind = [row for row in found if row.labels["toxicity"] == 0.0]
    assert all(set(row.labels.values()) == {0.0} for row in kind)
    assert {row.labels["hate"] for row in found if row not in kind} == {1.0}
    muslim, deaf = ([row.labels for row in found if word in row.text] for word in ("Muslim", "deaf"))
    assert muslim == deaf


@pytest.mark.parametrize(("text", "expected"), [("fuck this", 0.95), ("Scunthorpe", None), ("a classic", None)])
def test_swearing_is_profane_where_a_set_does_not_say(text: str, expected: float | None) -> None:
    assert source().row({"text": text, "toxic": "0"}).labels.get("profanity") == expected
    said = source(labels={"profanity": column("obscene")}).row({"text": text, "obscene": "0"})
    assert said.labels["profanity"] == 0.0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Hello, World!", "hello world", True),
        ("ﬁne", "FINE", True),
        ("co-op", "coop", True),
        ("no", "on", False),
        ("👍", "👎", False),
    ],
)
def test_keys(one: str, other: str, same: bool) -> None:
    assert (key(one) == key(other)) is same
    assert (digest(one) == digest(other)) is same


def test_copies_become_one_row_and_the_earlier_is_believed() -> None:
    first = row("You idiot!", "a", toxicity=1.0)
    second = row("you idiot", "b", weight=0.3, toxicity=0.0, spam=0.0)
    (merged,) = merge([first, second])
    assert (merged.text, merged.source, merged.weight) == ("You idiot!", "a", 1.0)
    assert merged.labels == {"toxicity": 1.0, "spam": 0.0}
    assert merged.weights == {"spam": 0.3}


def test_blank_texts_and_texts_of_the_evaluation_are_left_out() -> None:
    rows = [row("  ...  "), row("Kept"), row("Held back!")]
    assert [found.text for found in merge(rows, {digest("held BACK")})] == ["Kept"]


@given(st.lists(st.sampled_from(["a b", "A, b", "ab", "c", "C!", "d"]), max_size=12))
def test_merging_twice_changes_nothing(texts: list[str]) -> None:
    once = merge([row(text, toxicity=1.0) for text in texts])
    assert merge(once) == once
    assert len({digest(found.text) for found in once}) == len(once)


@given(st.text())
def test_copies_are_in_the_same_split(text: str) -> None:
    assert split_of(text) == split_of(f" {text.upper().lower()}!") or key(text) != key(text.upper().lower())


def test_splits_are_eight_one_one() -> None:
    counts = Counter(split_of(f"text number {n}") for n in range(10_000))
    assert 7_700 < counts["train"] < 8_300
    assert 850 < counts["validation"] < 1_150


@given(st.text(), st.integers())
def test_noise_depends_on_the_seed_alone(text: str, seed: int) -> None:
    assert disturb(text, random.Random(seed)) == disturb(text, random.Random(seed))


@pytest.mark.parametrize("text", ["İSTANBUL İİİ", "ﬁﬁﬁ straße ŉŉŉ", "", "a", "ǅǅǅ 123", "मैंने चिट्ठी"])
def test_noise_is_made_of_any_letters(text: str) -> None:
    assert all(isinstance(disturb(text, random.Random(seed)), str) for seed in range(100))


def test_babble_is_of_many_kinds() -> None:
    rng = random.Random(1)
    assert len({babble(rng) for _ in range(200)}) > 150


def test_files_are_read_plain_and_gzipped(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('text,label\n"one, two",1\n')
    (tmp_path / "b.tsv.gz").write_bytes(gzip.compress(b"drei\t0\n"))
    assert list(read_table(tmp_path / "a.csv")) == [{"text": "one, two", "label": "1"}]
    assert list(read_table(tmp_path / "b.tsv", delimiter="\t", quoted=False, header="text label")) == [
        {"text": "drei", "label": "0"}
    ]
    assert list(read_lines(tmp_path / "b.tsv")) == [{"text": "drei\t0"}]


def test_every_text_of_a_folder_is_found_whatever_its_format(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('1,"a text, with a comma",x\n')
    (tmp_path / "b.tsv").write_text("2\tanother text\n")
    (tmp_path / "c.json").write_text(json.dumps([{"deep": ["a third"]}]))
    (tmp_path / "d.txt").write_text("a line\n")
    (tmp_path / "e.arff").write_text("@data\nyes,'it\\'s quoted'\n")
    found = {digest(text) for text in every_text(tmp_path)}
    wanted = ("a text, with a comma", "another text", "a third", "a line", "it's quoted")
    assert all(digest(text) in found for text in wanted)


def test_json_lines_and_arrays_read_alike(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"x": 1}, {"x": 2}]')
    (tmp_path / "b.jsonl").write_text('{"x": 1}\n\n{"x": 2}\n')
    assert list(read_json(tmp_path / "a.json")) == list(read_json(tmp_path / "b.jsonl")) == [{"x": 1}, {"x": 2}]


def test_no_text_is_written_twice_and_none_stands_in_a_suite() -> None:
    suites = MODELS.parent / "benchmarks" / "suites"
    seen = {key(record["text"]): path.name for path in suites.glob("*.jsonl") for record in read_json(path)}
    for path in sorted((MODELS / "training" / "written").glob("*.jsonl")):
        for record in read_json(path):
            assert key(record["text"]) not in seen, f"{path.name} repeats {seen[key(record['text'])]}"
            seen[key(record["text"])] = path.name


def _rows(count: int, source: str) -> list[Row]:
    return [row(f"{source} number {number} of them", source, toxicity=float(number % 2)) for number in range(count)]


def test_the_first_stage_is_public_rows_of_the_train_split() -> None:
    rows = _rows(300, "jigsaw") + _rows(300, "written_hate")
    read = first_stage(rows, 7)
    assert len(read) == sum(split_of(each.text) == "train" for each in rows[:300])
    assert {each.source for each in read} == {"jigsaw"}
    assert read == first_stage(rows, 7)


def test_the_second_stage_reads_each_set_as_often_as_it_says() -> None:
    rows = _rows(1_000, "written_hate") + _rows(1_000, "hatemoji") + _rows(1_000, "waseem")
    kept = sum(split_of(each.text) == "train" for each in rows[:1_000])
    read = Counter(each.source for each in second_stage(rows, 7))
    assert abs(read["written_hate"] - REVIEW["written"] * kept) < 60
    assert abs(read["hatemoji"] - REVIEW["hatemoji"] * 800) < 100
    assert read["waseem"] == 0


def test_encoded_rows_come_in_batches_of_one_length() -> None:
    cutter = WordPieceTokenizer([*SPECIAL, "[CLS]", "[SEP]", "word", "##s"], bare=True)
    rows = [row("word " * length, toxicity=1.0) for length in (1, 2, 3, 200) for _ in range(100)]
    encoded = encode(rows, cutter)
    assert encoded.block(np.array([0])).tolist() == [[3, 5, 4]]
    assert np.diff(encoded.starts).max() == LENGTH
    seen = [number for batch in encoded.batches(np.random.default_rng(0)) for number in batch.tolist()]
    assert len(seen) == len(set(seen))
    for batch in encoded.batches(np.random.default_rng(0)):
        assert encoded.block(batch).min() > 0


def _made_up_traffic() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The fast model's and the accurate one's probabilities, labels and weights of texts. Both know all labels well but
    the last two: of these the fast one knows little, and the accurate one more of only the first."""
    rng = np.random.default_rng(3)
    count = 2_000
    labels = (rng.uniform(size=(count, len(LABELS))) < 0.01).astype(float)
    before = np.where(labels == 1, 1.0, -6.0) + rng.normal(0, 0.5, labels.shape)
    after = before.copy()
    before[:, -2:] = rng.normal(-6.0, 1.0, (count, 2)) + 2.0 * labels[:, -2:]
    after[:, -1] = before[:, -1]
    weights = rng.uniform(0.5, 2.0, count) * (rng.uniform(size=count) < 0.9)
    return 1 / (1 + np.exp(-before)), 1 / (1 + np.exp(-after)), labels, weights


def test_bands_hold_the_share_that_they_are_for_and_grow_where_it_helps() -> None:
    before, after, labels, weights = _made_up_traffic()
    distance = np.log(before) - np.log1p(-before)
    found = bands(before, after, labels, weights, dict.fromkeys(LABELS, 0.5))
    last = np.zeros(len(weights), bool)
    for share, band in found.items():
        below = np.array([-band[label][0] for label in LABELS])
        above = np.array([band[label][1] for label in LABELS])
        inside = ((distance >= below) & (distance <= above)).any(axis=1)
        assert (inside >= last).all()
        last = inside
        part = weights[inside].sum() / weights.sum()
        assert part <= max(float(share), 0.15) + 0.001
        if float(share) >= 0.2:
            assert part == pytest.approx(float(share), abs=0.01)
    held = [(distance[:, place] >= -found["0.3"][label][0]).sum() for place, label in enumerate(LABELS)]
    assert max(held) == held[-2]


def test_traffic_is_mostly_harmless_and_half_of_it_short() -> None:
    rows = _rows(200, "jigsaw")
    rows += [row("long " * 40 + str(at), "jigsaw", toxicity=float(at % 2)) for at in range(200)]
    rows += [row(f"a hard one, {at}", "hatemoji", toxicity=0.0) for at in range(200)]
    weights = traffic(rows)
    harmful = np.array([each.labels["toxicity"] >= 0.5 for each in rows])
    assert not weights[400:].any()
    assert weights.sum() == pytest.approx(1.0)
    assert weights[harmful].sum() == pytest.approx(TOXIC)
    assert weights[[len(each.text) <= 80 for each in rows]].sum() == pytest.approx(0.5)
