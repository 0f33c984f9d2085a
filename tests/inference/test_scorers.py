"""The fast scorer: the same scores however it is asked, sane ones for plain messages, and linear time."""

from __future__ import annotations

import multiprocessing
import pickle
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seemly.core.errors import ConfigError
from seemly.inference import session
from seemly.inference.fast import FastScorer
from seemly.inference.scorer import Scorer
from seemly.inference.tokenizer import NUMBER, SPECIAL, UNKNOWN, WordPieceTokenizer, split

SCORER = FastScorer(Path(__file__).parents[2] / "models" / "text-fast")
ALL = [0.5] * len(SCORER.labels)
VOCABULARY = [*SPECIAL, "hello", "fuck", "##ing", "ass", "as", "h", "##a", "##h", "!", "don't", "我", "😀"]


def score(*texts: str) -> np.ndarray:
    return SCORER.score(texts, SCORER.labels, ALL)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (" \t\n", []),
        ("Hello, you!", ["hello", ",", "you", "!"]),
        ("don't DON’T 'quoted'", ["don't", "don’t", "'", "quoted'"[:-1], "'"]),
        ("我们是AI技术", ["我", "们", "是", "ai", "技", "术"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("สวัสดี", list("สวัสดี")),
        ("😀😀", ["😀", "😀"]),
        ("a" * 30, ["a" * 24, "a" * 6]),
        ("!" * 10, ["!" * 8, "!!"]),
        ("Привет, мир", ["привет", ",", "мир"]),
        ("سلام، خوبی؟", ["سلام", "،", "خوبی", "؟"]),
    ],
)
def test_split(text: str, words: list[str]) -> None:
    assert split(text) == words


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("hello", ["hello"]),
        ("HELLO", ["hello"]),
        ("fucking", ["fuck", "##ing"]),
        ("fuuuuck", ["fuck"]),
        ("asssss", ["ass"]),
        ("hahaha", ["h", "##a", "##h", "##a", "##h", "##a"]),
        ("don’t", ["don't"]),
        ("12345", ["[NUM]"]),
        ("zzz", ["[UNK]"]),
        ("[PAD]", ["[UNK]", "[UNK]", "##a", "[UNK]", "[UNK]"]),
        ("!!!!!!!!", ["!"]),
        ("我😀", ["我", "😀"]),
    ],
)
def test_pieces(text: str, pieces: list[str]) -> None:
    assert [VOCABULARY[number] for number in WordPieceTokenizer(VOCABULARY).encode(text).tolist()] == pieces


@given(st.text())
def test_pieces_of_a_word_do_not_depend_on_its_neighbours(text: str) -> None:
    pieces = WordPieceTokenizer(VOCABULARY)
    alone = [number for word in split(text) for number in pieces.encode(word).tolist()]
    assert pieces.encode(text).tolist() == alone
    assert all(0 < number < len(VOCABULARY) for number in alone)


def test_the_cache_of_words_is_bounded() -> None:
    pieces = WordPieceTokenizer(VOCABULARY)
    for number in range(100_000):
        pieces.encode(f"x{number}")
    assert len(pieces) <= 32_768


def test_unknown_and_number_are_where_the_vocabulary_has_them() -> None:
    assert (SPECIAL[UNKNOWN], SPECIAL[NUMBER]) == ("[UNK]", "[NUM]")


def test_the_fast_scorer_is_a_scorer() -> None:
    assert isinstance(SCORER, Scorer)


TEXTS = [
    "hello",
    "",
    "you are an idiot",
    "win a free prize, click here " * 3,
    "a long and harmless sentence about the weather in the north of the country " * 60,
    "你好，今天天气很好",
    "😀",
    "x" * 500,
]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(TEXTS) | st.text(max_size=50), min_size=1, max_size=20))
def test_a_text_scores_the_same_alone_and_in_any_batch(texts: list[str]) -> None:
    together = score(*texts)
    alone = np.concatenate([score(text) for text in texts])
    assert together.dtype == np.float32
    assert np.abs(together - alone).max() < 1e-4
    assert ((together >= 0) & (together <= 1)).all()


def test_a_text_scores_the_same_from_any_thread() -> None:
    fresh = FastScorer(SCORER.folder)
    expected = score(*TEXTS)
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: fresh.score(TEXTS, fresh.labels, ALL), range(32)):
            assert np.abs(found - expected).max() < 1e-4


def test_eight_threads_open_each_graph_once(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def slowly(weights: bytes, name: str) -> object:
        opened.append(name)
        time.sleep(0.05)
        return open_session(weights, name)

    open_session = session.open_session
    monkeypatch.setattr("seemly.inference.fast.open_session", slowly)
    fresh = FastScorer(SCORER.folder)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: fresh.score(["hello"], ["spam"], [0.5]), range(8)))
    assert opened == ["text-fast", "text-fast"]


def test_rows_that_are_given_up_are_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [
        f"{number} words and {chr(97 + number % 26) * 3} {chr(0x4E00 + number)} in a text" for number in range(200)
    ]
    expected = score(*texts)
    monkeypatch.setattr("seemly.inference.piece_features._KEPT", 64)
    few = FastScorer(SCORER.folder)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: few.score([text], few.labels, ALL)[0], texts * 3))
    assert np.abs(np.array(found) - np.tile(expected, (3, 1))).max() < 1e-6


def test_nothing_heavy_loads_before_the_first_text() -> None:
    code = (
        "import sys; from seemly.engine.models import Models; Models().scorer('fast').labels; "
        "print([name for name in ('numpy', 'onnxruntime', 'tokenizers') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_columns_are_those_asked_for_in_their_order() -> None:
    whole = score(*TEXTS)
    some = SCORER.score(TEXTS, ["spam", "toxicity"], [0.1, 0.9])
    assert np.array_equal(some[:, 0], whole[:, SCORER.labels.index("spam")])
    assert np.array_equal(some[:, 1], whole[:, SCORER.labels.index("toxicity")])


def test_a_text_without_words_is_nothing() -> None:
    assert not score("", " \n\t").any()
    assert np.array_equal(score("", "you are an idiot")[1:], score("you are an idiot"))


def test_no_texts_give_no_rows() -> None:
    assert SCORER.score([], ["spam"], [0.5]).shape == (0, 1)


def test_an_unknown_label_is_refused() -> None:
    with pytest.raises(ConfigError, match="sarcasm"):
        SCORER.score(["hello"], ["sarcasm"], [0.5])


def test_a_copy_by_pickle_gives_the_same_scores() -> None:
    copy = pickle.loads(pickle.dumps(SCORER))
    assert np.array_equal(copy.score(TEXTS, copy.labels, ALL), score(*TEXTS))


def _send_score(pipe: object) -> None:
    pipe.send(score("you are an idiot"))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_forked_child_opens_its_own_session() -> None:
    expected = score("you are an idiot")
    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_send_score, args=(sender,))
    child.start()
    assert receiver.poll(20)
    assert np.array_equal(receiver.recv(), expected)
    child.join()


def test_what_is_said_late_in_a_long_text_counts() -> None:
    filler = "the harbour was quiet and the boats lay still in the morning sun " * 100
    toxicity = SCORER.labels.index("toxicity")
    assert score(filler)[0, toxicity] < 0.1
    # Calibration to ordinary text keeps the fast model's probability of a lone insult in long prose below 0.5.
    assert score(filler + "you are a fucking idiot")[0, toxicity] > 0.3


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("you are a fucking idiot", ["toxicity", "profanity", "insult"]),
        ("I will kill you", ["violence", "threat"]),
        ("i want to kill myself", ["self_harm"]),
    ],
)
def test_plain_harm_is_high(text: str, labels: list[str]) -> None:
    assert (SCORER.score([text], labels, [0.5] * len(labels)) >= 0.5).all()


@pytest.mark.parametrize(
    "text",
    [
        "hello, how are you?",
        "kill the boss in level 3",
        "I hate mondays",
        "as a gay man I am proud",
        "my black friend is coming to dinner",
        "good morning",
        "guten Morgen",
        "olá, tudo bem?",
        "привет, как дела?",
        "你好",
        "안녕하세요",
        "",
    ],
)
def test_harmless_messages_are_low(text: str) -> None:
    assert score(text).max() < 0.5


@pytest.mark.parametrize(
    "unit",
    ["a", "(", "1", "555-0100 ", "@", "我", "é̂", "lorem ipsum dolor ", "x'", "\U0001f600"],
)
def test_long_hostile_texts_are_scored_to_their_end(unit: str) -> None:
    text = (unit * 100_000)[:100_000]
    found = score(text + " you are a fucking idiot")
    assert found.shape == score("x y").shape
    assert ((found >= 0.0) & (found <= 1.0)).all()
    assert (found >= score(text) - 0.2).all()
