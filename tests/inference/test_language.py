from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seemly.core.errors import ModelError
from seemly.engine.models import Models
from seemly.inference.language import Detector
from seemly.text.normalize import normalize

DETECTOR = Models().detector()
detect = DETECTOR.detect

TOLD = [
    ("Good morning everyone, did you sleep well last night?", "en"),
    ("It’s a lovely day and we’re going to the seaside", "en"),
    ("I CANNOT BELIEVE THAT THEY CLOSED THE LIBRARY", "en"),
    ("@somebody #weekend https://example.com/fr/page we are going to the mountains", "en"),
    ("Guten Morgen zusammen, habt ihr gut geschlafen?", "de"),
    ("C'est vraiment très gentil de votre part, merci beaucoup", "fr"),
    ("¿Dónde está la biblioteca? No la encuentro en el mapa", "es"),
    ("Bom dia, você já tomou o café da manhã hoje?", "pt"),
    ("Buongiorno a tutti, come state oggi? Io sto benissimo", "it"),
    ("Goedemorgen, hebben jullie vannacht goed geslapen?", "nl"),
    ("Dzień dobry wszystkim, jak się dzisiaj macie?", "pl"),
    ("Günaydın arkadaşlar, bugün hava çok güzel değil mi?", "tr"),
    ("Hyvää huomenta kaikille, nukuitteko te hyvin viime yönä?", "fi"),
    ("God morgon allihopa, har ni sovit gott i natt?", "sv"),
    ("Jó reggelt mindenkinek, hogy aludtatok az éjjel?", "hu"),
    ("Dobré ráno všem, jak jste se dnes v noci vyspali?", "cs"),
    ("Chào buổi sáng mọi người, hôm nay trời rất đẹp", "vi"),
    ("Selamat pagi semuanya, bagaimana kabar kalian hari ini?", "id"),
    ("Доброе утро всем, как вы сегодня спали?", "ru"),
    ("Доброго ранку, як ви сьогодні спали, мої любі друзі?", "uk"),
    ("Днес времето е хубаво и отиваме на разходка в планината", "bg"),
    ("Јутрос сам устао рано и отишао у шетњу поред реке", "sr"),
    ("صباح الخير جميعا، كيف حالكم اليوم؟", "ar"),
    ("صبح بخیر دوستان، امروز هوا خیلی خوب است", "fa"),
    ("صبح بخیر، آج موسم بہت اچھا ہے اور ہم باہر جا رہے ہیں", "ur"),
    ("आज मौसम बहुत अच्छा है और हम बाहर जा रहे हैं", "hi"),
    ("आज हवामान खूप छान आहे आणि आम्ही बाहेर जात आहोत", "mr"),
    ("আজ আবহাওয়া খুব ভালো এবং আমরা বাইরে যাচ্ছি", "bn"),
    ("今天天气很好，我们去公园玩吧", "zh"),
    ("今日は天気がいいので公園へ行きましょう", "ja"),
    ("コンピューター", "ja"),
    ("오늘 날씨가 아주 좋네요", "ko"),
    ("สวัสดีตอนเช้าทุกคน", "th"),
    ("Καλημέρα σε όλους", "el"),
    ("בוקר טוב לכולם", "he"),
    ("Բարի լույս բոլորին", "hy"),
    ("დილა მშვიდობისა ყველას", "ka"),
    ("அனைவருக்கும் காலை வணக்கம்", "ta"),
    ("అందరికీ శుభోదయం", "te"),
    ("ಎಲ್ಲರಿಗೂ ಶುಭೋದಯ", "kn"),
    ("എല്ലാവർക്കും സുപ്രഭാതം", "ml"),
    ("બધાને સુપ્રભાત", "gu"),
    ("ਸਾਰਿਆਂ ਨੂੰ ਸ਼ੁਭ ਸਵੇਰ", "pa"),
]

UNTOLD = (
    *("", " ", "\n", "lol", "ok", "1234", "😀😀😀", "!!!", "haha", "gg wp ez", "hmm", "xd", "asdfghjkl"),
    *("https://example.com/bonjour-tout-le-monde", "@bonjour", "3.14 + 2 = ?", "안녕 hello", "\ud800\ud800", "\x00"),
)


@pytest.mark.parametrize(("text", "code"), TOLD)
def test_a_sentence_is_told(text: str, code: str) -> None:
    found = detect(text)
    assert found.code == code
    assert 0.5 <= found.probability <= 1.0


@pytest.mark.parametrize("text", UNTOLD)
def test_unsure_is_no_guess(text: str) -> None:
    assert detect(text).code is None


def test_a_normalized_text_is_read_in_its_plain_view() -> None:
    text = "ｇｏｏｄ ｍｏｒｎｉｎｇ ｅｖｅｒｙｏｎｅ， ｄｉｄ ｙｏｕ ｓｌｅｅｐ ｗｅｌｌ"
    assert detect(normalize(text)).code == "en"


def test_a_long_text_is_sampled_beyond_its_head() -> None:
    head, body = "Good morning everyone. ", "Dzień dobry wszystkim, jak się dzisiaj macie? "
    assert detect(head + body * 200).code == "pl"


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300))
def test_any_text_has_an_answer(text: str) -> None:
    found = detect(text)
    assert 0.0 <= found.probability <= 1.0
    assert found == detect(text)


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("This is a whole sentence of plain English.", True),
        ("Das ist ein ganzer Satz auf Deutsch, liebe Leute.", False),
        ("lol", True),
        ("", True),
        ("😀😀", True),
        ("12:30", True),
        ("run only", True),
        ("aaah meu pau", False),
        ("🙃 яж", False),
        ("こんにちは", False),
    ],
)
def test_what_may_be_english(text: str, may: bool) -> None:
    assert DETECTOR.may_be(text, frozenset({"en"})) is may


@given(st.text(max_size=60))
def test_what_is_sure_counts_as_what_it_is(text: str) -> None:
    code = detect(text).code
    if code is not None:
        assert DETECTOR.may_be(text, frozenset({code}))
        assert not DETECTOR.may_be(text, frozenset({"en", "de"} - {code}))


def test_threads_agree() -> None:
    detector = Detector(Models().path("language"))
    texts = [text for text, _ in TOLD] * 4
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(detector.detect, texts)) == [detect(text) for text in texts]


def test_a_damaged_model_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "language"
    shutil.copytree(Models().path("language"), folder)
    (file,) = json.loads((folder / "manifest.json").read_text())["files"]
    (folder / file).write_bytes(b"damaged")
    detector = Detector(folder)
    with pytest.raises(ModelError):
        detector.detect("Good morning everyone")
    assert detector.detect("오늘 날씨가 좋네요").code == "ko"


def test_the_manifest_names_its_licence_and_source() -> None:
    manifest = json.loads((Models().path("language") / "manifest.json").read_text())
    assert manifest["licence"] == "CC-BY-SA-3.0"
    assert manifest["source"].startswith("https://")
