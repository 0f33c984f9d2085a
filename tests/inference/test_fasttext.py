"""fastText's classifier, read and applied: what fastText itself says of the same texts, and no file but its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly.inference.fasttext import Classifier, read_classifier

FILE = (Path(__file__).parents[2] / "models" / "language" / "lid.176.ftz").read_bytes()
CLASSIFIER = read_classifier(FILE)


# The likeliest two labels and their probabilities, as fastText's own program gives them (fasttext-predict 0.9.2.4).
@pytest.mark.parametrize(
    ("text", "first", "chance", "second", "less"),
    [
        ("where did you put the keys to the shed", "en", 0.98876, "it", 0.00098),
        ("ich habe den zug leider verpasst", "de", 0.99914, "en", 0.00015),
        ("nous irons au marché demain matin", "fr", 0.99657, "en", 0.00092),
        ("el perro duerme debajo de la mesa", "es", 0.94137, "ca", 0.02188),
        ("il treno parte alle nove", "it", 0.97390, "ia", 0.00475),
        ("o café está quente demais hoje", "pt", 0.93907, "es", 0.02951),
        ("de fiets staat achter het huis", "nl", 0.93174, "af", 0.02642),
        ("jag kommer hem efter sex ikväll", "sv", 0.98128, "da", 0.01626),
        ("minulla on kaksi kissaa ja koira", "fi", 0.99216, "et", 0.00242),
        ("w piątek jedziemy nad jezioro", "pl", 0.85575, "de", 0.03979),
        ("bu akşam yemeğe bize gelin", "tr", 0.99793, "en", 0.00041),
        ("hôm nay trời mưa rất to", "vi", 0.98986, "en", 0.00390),
        ("я не знаю, куда они ушли", "ru", 0.96603, "uk", 0.02362),
        ("ми поїдемо до бабусі влітку", "uk", 0.96533, "be", 0.01613),
        ("سأعود إلى البيت بعد قليل", "ar", 0.99504, "arz", 0.00172),
        ("او فردا به تهران می\u200cرود", "fa", 0.89691, "mzn", 0.03882),
        ("मुझे चाय पीना पसंद है", "hi", 0.98175, "mr", 0.01274),
        ("আমি কাল স্কুলে যাব", "bn", 0.96372, "as", 0.03521),
        ("今天的天气真不错", "zh", 0.62785, "ja", 0.35195),
        ("明日は友達と映画を見ます", "ja", 0.99968, "en", 0.00017),
        ("나는 내일 도서관에 갈 거야", "ko", 1.00004, "zh", 0.00002),
        ("αύριο θα πάμε στη θάλασσα", "el", 0.99290, "ja", 0.00269),
        ("lol", "en", 0.12450, "ca", 0.08595),
        ("🙂🙂", "en", 0.12450, "ca", 0.08595),
        ("", "en", 0.12450, "ca", 0.08595),
    ],
)
def test_says_what_fasttext_says(text: str, first: str, chance: float, second: str, less: float) -> None:
    found = CLASSIFIER.predict(text)
    likeliest = (-found).argsort()[:2]
    assert [CLASSIFIER.labels[at] for at in likeliest] == [first, second]
    assert found[likeliest] == pytest.approx([chance, less], abs=2e-5)


@given(st.text())
def test_any_text_has_probabilities(text: str) -> None:
    found = CLASSIFIER.predict(text)
    assert found.shape == (176,)
    assert ((found >= 0) & (found < 1.001)).all()
    # fastText adds a little to each probability on the way, so that the sum is not quite 1.
    assert found.sum() == pytest.approx(1, abs=0.01)


def test_a_text_has_the_same_probabilities_however_often_it_is_read() -> None:
    fresh = read_classifier(FILE)
    assert np.array_equal(fresh.predict("where is the key"), fresh.predict("where is the key"))


def test_the_cache_of_words_is_bounded() -> None:
    fresh = read_classifier(FILE)
    for number in range(66_000):
        fresh.predict(f"x{number}")
    assert 0 < len(fresh) <= 65_536


def test_a_classifier_that_knows_nothing_of_a_text_gives_it_no_probability() -> None:
    class Ignorant(Classifier):
        def __missing__(self, word: str) -> bytes:
            return bytes(4 * 17)

    ignorant = Ignorant(
        CLASSIFIER.labels, *(getattr(CLASSIFIER, name) for name in ("_ngrams", "_table", "_tree", "_paths"))
    )
    assert not ignorant.predict("anything").any()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04" + bytes(200),
        FILE[:4] + b"\x0b" + FILE[5:],
        FILE[:1000],
        FILE[:-1],
        # Arguments that say softmax in place of hierarchical softmax.
        FILE[: 8 + 4 * 6] + b"\x03" + FILE[8 + 4 * 6 + 1 :],
    ],
)
def test_another_file_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="cannot be read as a compressed classifier"):
        read_classifier(data)
