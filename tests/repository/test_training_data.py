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
from training.accurate.bands import ENGLISH, TOXIC, bands, traffic
from training.accurate.rounds import SHARES, Rounds
from training.augment import babble, disturb
from training.calibrate import lower, supported
from training.calm import calmed, zeros
from training.codes import LANGUAGES, code
from training.glossary import glossary
from training.natural import natural, parse
from training.pairs import Pair
from training.reading import every_text, read_json, read_lines, read_table
from training.rows import ACTING, LABELS, TOPICS, Row, digest, key, merge, split_of
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

from seemly.inference.tokenizer import WordPieceTokenizer, bare

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
    records = [(path.name, record) for path in sorted(suites.glob("*.jsonl")) for record in read_json(path)]
    seen = {key(record["text"]): name for name, record in records if "text" in record}
    folder = MODELS / "training" / "written"
    texts = [(path.name, record["text"]) for path in sorted(folder.glob("*.jsonl")) for record in read_json(path)]
    texts += [(row.source, row.text) for row in natural(folder)]
    repeated = []
    for name, text in texts:
        if key(text) in seen:
            repeated.append(f"{name} repeats {seen[key(text)]}: {text}")
        seen[key(text)] = name
    assert repeated == []


def _rows(count: int, source: str) -> list[Row]:
    return [row(f"{source} number {number} of them", source, toxicity=float(number % 2)) for number in range(count)]


def test_a_round_has_its_share_of_every_kind_and_nothing_that_was_held_apart() -> None:
    rows = [*_rows(300, "jigsaw"), *_rows(300, "waseem")]
    rows += [Row(each.text, each.labels, "ud_ordinary", "de") for each in _rows(300, "calm")]
    pairs = [Pair(Row(f"paar {at}", {}, "tatoeba_pairs", "de"), f"pair {at}") for at in range(300)]
    messages = [Row(f"message {at}", {}, "natural_de", "de") for at in range(300)]
    rounds = Rounds(rows, pairs, messages, 7)
    read = rounds.draw(3, 1_000)
    sources = Counter(each.row.source for each in read)
    assert sources["waseem"] == 0
    assert sources["ud_ordinary"] == round(1_000 * SHARES["ordinary"])
    assert sources["natural_de"] == round(1_000 * SHARES["natural"])
    assert sum(each.english is not None for each in read) == round(1_000 * SHARES["pairs"])
    assert all(split_of(each.english) == "train" for each in read if each.english)
    undisturbed = {each.text for each in (*rows, *messages)}
    assert all(split_of(each.row.text) == "train" for each in read if each.row.text in undisturbed)
    assert [each.row.text for each in rounds.draw(3, 100)] == [each.row.text for each in rounds.draw(3, 100)]


@pytest.mark.parametrize(
    ("line", "language", "labels"),
    [
        ("de\tinsult\tdu Pfeife", "de", {"insult", "toxicity"}),
        ("nb\t-\tHei, alt bra?", "no", set()),
        ("en\tself_harm_intent, negative\ttonight I end it", "en", {"self_harm_intent", "self_harm", "negative"}),
    ],
)
def test_a_natural_row_has_the_labels_that_its_line_names_and_no_other(
    line: str, language: str, labels: set[str]
) -> None:
    found = parse(line, "natural_x")
    assert found is not None
    assert found.language == language
    assert {label for label, value in found.labels.items() if value} == labels
    assert set(found.labels) == set(LABELS)


@pytest.mark.parametrize("line", ["", "de\t-", "de\tno_label\ttext", "de\t-\t ", "de\t-\ta\tb"])
def test_lines_that_are_no_natural_rows_are_left_out(line: str) -> None:
    assert parse(line, "natural_x") is None


def test_natural_rows_are_in_the_languages_that_are_taught() -> None:
    counted = Counter(each.language for each in natural(MODELS / "training" / "written"))
    assert set(counted) <= set(LANGUAGES)
    assert counted["en"] > 3_000
    assert all(counted[language] > 300 for language in LANGUAGES if language != "bg")


def test_a_calm_row_is_none_of_the_newer_labels_but_for_topics_and_doubt() -> None:
    calm = dict.fromkeys(("toxicity", "hate", "insult", "threat", "violence"), 0.0)
    found = calmed(row("we had a beer by the lake", **calm)).labels
    assert found["grooming"] == found["crypto"] == 0.0
    assert "illicit_alcohol" not in found
    assert not set(TOPICS) & set(found)
    assert calmed(row("you fool", toxicity=1.0, hate=0.0, insult=1.0, threat=0.0)).labels.keys() == {
        "toxicity",
        "hate",
        "insult",
        "threat",
    }
    assert "violence" not in zeros("he will kill me")


def test_the_glossary_has_every_language_beside_english() -> None:
    found = list(glossary())
    assert {each.row.language for each in found} == set(LANGUAGES) - {"en"}
    assert {each.row.text for each in found if each.english == "suicide" and each.row.language == "de"} == {
        "selbstmord",
        "suizid",
    }


@pytest.mark.parametrize(("name", "expected"), [("deu", "de"), ("pt-BR", "pt"), ("zh_tw", "zh"), ("mhr", "mhr")])
def test_codes_of_languages(name: str, expected: str) -> None:
    assert code(name) == expected


@pytest.mark.parametrize("share", [0.0, 0.01, 0.05])
def test_ordinary_text_is_acted_on_no_more_than_allowed(share: float) -> None:
    rng = np.random.default_rng(1)
    odds = rng.normal(-1.0, 2.0, (600, len(LABELS)))
    labels = np.full(odds.shape, np.nan)
    ordinary = np.arange(600) < 400
    labels[~ordinary] = rng.uniform(size=(200, len(LABELS))) < 0.3
    odds[np.nan_to_num(labels) == 1] += 4
    down = lower(odds, labels, np.ones(600, bool), ordinary, share)
    acted = np.stack([odds[ordinary, LABELS.index(label)] - down[label] > 0 for label in ACTING]).any(axis=0)
    assert acted.mean() <= share
    assert min(down.values()) >= 0
    assert all(down[label] == 0 for label in TOPICS)


def test_a_label_is_supported_by_its_ranking_its_false_alarms_and_its_rows() -> None:
    good = {"auc": 0.9, "false": 0.5, "caught": 60.0, "rows": 80}
    table = {
        "de": {"hate": good, "spam": good | {"auc": 0.84}, "insult": good | {"rows": 49}, "religion": good},
        "en": {"hate": good, "spam": good | {"false": 0.3}},
    }
    assert supported(table) == {"de": ["hate", "religion"], "en": ["spam"]}


_HARD = [LABELS.index("spam"), LABELS.index("harassment")]


def _made_up_traffic() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The fast model's and the accurate one's probabilities, labels and weights of texts. Both know all labels well but
    two: of these the fast one knows little, and the accurate one more of only the first."""
    rng = np.random.default_rng(3)
    count = 2_000
    labels = (rng.uniform(size=(count, len(LABELS))) < 0.01).astype(float)
    before = np.where(labels == 1, 1.0, -6.0) + rng.normal(0, 0.5, labels.shape)
    after = before.copy()
    before[:, _HARD] = rng.normal(-6.0, 1.0, (count, 2)) + 2.0 * labels[:, _HARD]
    after[:, _HARD[1]] = before[:, _HARD[1]]
    weights = rng.uniform(0.5, 2.0, count) * (rng.uniform(size=count) < 0.9)
    return 1 / (1 + np.exp(-before)), 1 / (1 + np.exp(-after)), labels, weights


def test_bands_hold_the_share_that_they_are_for_and_grow_where_it_helps() -> None:
    before, after, labels, weights = _made_up_traffic()
    distance = np.log(before) - np.log1p(-before)
    asked = [place for place, label in enumerate(LABELS) if label not in TOPICS]
    found = bands(before, after, labels, weights, dict.fromkeys(LABELS, 0.5))
    last = np.zeros(len(weights), bool)
    for share, band in found.items():
        below = np.array([-band[label][0] for label in LABELS])
        above = np.array([band[label][1] for label in LABELS])
        inside = ((distance >= below) & (distance <= above))[:, asked].any(axis=1)
        assert inside[(distance[:, asked] >= 0).any(axis=1)].all()
        assert (inside >= last).all()
        last = inside
        part = weights[inside].sum() / weights.sum()
        assert part <= max(float(share), 0.3) + 0.001
        if float(share) >= 0.4:
            assert part == pytest.approx(float(share), abs=0.01)
    held = {label: (distance[:, LABELS.index(label)] >= -found["0.5"][label][0]).sum() for label in ACTING}
    assert max(held, key=held.__getitem__) == "spam"


def test_traffic_is_mostly_harmless_half_of_it_short_and_in_part_not_english() -> None:
    rows = [Row(f"{at}", {"toxicity": float(at % 2)}, "a", ("en", "de")[at // 2 % 2]) for at in range(200)]
    rows += [Row(f"{at}" + "long " * 40, each.labels, "a", each.language) for at, each in enumerate(rows)]
    rows += [row(f"a hard one, {at}", "hatemoji", toxicity=0.0) for at in range(200)]
    harmful = np.array([each.labels["toxicity"] >= 0.5 for each in rows])
    weights = traffic(rows, ~harmful & (np.arange(len(rows)) < 400))
    assert not weights[400:].any()
    assert weights.sum() == pytest.approx(1.0)
    assert weights[harmful].sum() == pytest.approx(TOXIC)
    assert weights[[len(each.text) <= 80 for each in rows]].sum() == pytest.approx(0.5)
    assert weights[[each.language == "en" for each in rows]].sum() == pytest.approx(ENGLISH)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Café हिन्दी", ["cafe", "हिन्दी"]),
        ("がんば", ["が", "ん", "ば"]),
        ("한국어 ไม่", ["한국어", "ไ", "ม", "่"]),
        ("שָׁלוֹם", ["שלום"]),
    ],
)
def test_marks_that_are_part_of_a_script_are_kept(text: str, words: list[str]) -> None:
    assert bare(text) == words


def test_a_word_with_accents_that_is_listed_is_a_piece_of_its_own() -> None:
    cutter = WordPieceTokenizer(["[PAD]", "[UNK]", "[NUM]", "[CLS]", "[SEP]", "schon", "schön"], bare=True)
    assert cutter.encode("schon schön schòn").tolist() == [5, 6, 5]
