"""Patterns, readings and indexes of words."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly.text.matching.identifiers import IdIndex
from seemly.text.matching.index import WordIndex, outermost
from seemly.text.matching.patterns import Part, Pattern, parse_pattern
from seemly.text.normalize import normalize


def found(words: list[str], text: str, match: str = "word") -> list[str]:
    index = WordIndex([parse_pattern(word, match) for word in words])
    return [hit.span.of(text) for hit in outermost(index.find(normalize(text)))]


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        (["spam"], "No spam, SPAM or Spam.", ["spam", "SPAM", "Spam"]),
        (["ass"], "assassin bass class assess", []),
        (["bad word"], "a BAD,  word; bad\nword badword", ["BAD,  word", "bad\nword"]),
        (["spam*"], "spammers spam antispam", ["spammers", "spam"]),
        (["*ville"], "Nashville villein ville", ["Nashville", "ville"]),
        (["*ham*"], "Nottingham hamlet champ him", ["Nottingham", "hamlet", "champ"]),
        (["big* deal"], "bigger deal, big deal, big meal", ["bigger deal", "big deal"]),
        (["the *er man"], "the bigger man the big man", ["the bigger man"]),
        (["Straße"], "STRASSE strasse Straße", ["STRASSE", "strasse", "Straße"]),
        (["cafe"], "Café CAFE", ["Café", "CAFE"]),
        (["Café"], "cafe", ["cafe"]),
        (["spoon"], "sp00n, s.p.o.o.n", ["sp00n", "s.p.o.o.n"]),
        (["spoon"], "what a s p o o n", ["s p o o n"]),
        (["l0ser"], "loser", ["loser"]),
        (["s p a m"], "spam", ["spam"]),
        (["con"], "coon corn", []),
        (["god"], "good god", ["god"]),
        (["pus"], "puss", []),
        (["as"], "ass", []),
        (["spam"], "spaaaaam", ["spaaaaam"]),
        (["cool"], "cooool", ["cooool"]),
        (["troll"], "tro1l, tro!l", ["tro1l", "tro!l"]),
        (["don't"], "Don't, don’t", ["Don't", "don’t"]),
        (["mother-in-law"], "mother in law", ["mother in law"]),
        (["f*ck"], "f*ck that", ["f*ck"]),
        (["bold"], "**bold** _bold_", ["bold", "bold"]),
        (["spam", "spam eggs"], "spam eggs", ["spam eggs"]),
    ],
)
def test_words_and_patterns(words: list[str], text: str, expected: list[str]) -> None:
    assert found(words, text) == expected


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        (["傻瓜"], "你是个大傻瓜吗", ["傻瓜"]),
        (["バカ"], "バカです", ["バカ"]),
        (["バカ"], "バカンスに行く", []),
        (["ばか"], "あなたはばかです", ["ばか"]),
        (["바보"], "바보야 너는", ["바보"]),
        (["บ้า"], "คุณบ้ามาก", ["บ้า"]),
        (["spam"], "这是spam吗", ["spam"]),
        (["дурак"], "Дурак! дураки", ["Дурак"]),
        (["🍆"], "want 🍆?", ["🍆"]),
        (["👍"], "👍🏿", ["👍🏿"]),
    ],
)
def test_other_scripts(words: list[str], text: str, expected: list[str]) -> None:
    assert found(words, text) == expected


def test_embedded_looks_inside_words() -> None:
    assert found(["ass"], "Assassin, bass", "embedded") == ["Ass", "ass", "ass"]
    assert found(["d wor"], "a bad  word", "embedded") == ["d  wor"]


@pytest.mark.parametrize(
    ("word", "text"),
    [("ass", "x4ssy"), ("ass", "xa-5-5"), ("ass", "qssaz"), ("ass", "a_s_s9"), ("hell", "73H1l3h"), ("loo", "x100x")],
)
def test_ids_are_read_in_every_way(word: str, text: str) -> None:
    hits = IdIndex([parse_pattern(word, "id")]).find(normalize(text))
    assert len(hits) >= 1


def test_ids_without_the_word_are_free() -> None:
    assert IdIndex([parse_pattern("hell", "id")]).find(normalize("kq7-vx2-93bd")) == []


@pytest.mark.parametrize("source", ["", "  ", "*", "**", "...", "* *", "-", "'", "​"])
def test_patterns_that_match_nothing_or_everything(source: str) -> None:
    with pytest.raises(ValueError, match="no letter"):
        parse_pattern(source)


LETTERS = st.text("abcs", min_size=1, max_size=4)


@given(st.lists(LETTERS, max_size=8), st.lists(LETTERS, max_size=12))
def test_whole_words_agree_with_a_naive_search(patterns: list[str], words: list[str]) -> None:
    patterns = [p for p in patterns if not any(a * 3 in p for a in "abcs")]
    words = [w for w in words if not any(a * 3 in w for a in "abcs")]
    text = " ".join(word + "x" for word in words)
    index = WordIndex([parse_pattern(p + "x") for p in patterns])
    expected = [w + "x" for w in words if w in patterns]
    assert [hit.span.of(text) for hit in index.find(normalize(text))] == expected


@given(st.lists(LETTERS, min_size=1, max_size=8), st.text("abcs x.", max_size=60), st.randoms())
def test_the_order_of_a_list_does_not_matter(patterns: list[str], text: str, rng: random.Random) -> None:
    def places(words: list[str]) -> set[tuple[int, int]]:
        return {hit.span for hit in WordIndex([parse_pattern(w) for w in words]).find(normalize(text))}

    shuffled = list(patterns)
    rng.shuffle(shuffled)
    assert places(patterns) == places(shuffled)


@given(st.text(max_size=80))
def test_spans_lie_in_the_text(text: str) -> None:
    index = WordIndex([parse_pattern(w) for w in ("a*", "*e", "*i*", "the", "s t", "한*", "的", "🙂")])
    for hit in index.find(normalize(text)):
        assert 0 <= hit.span.start < hit.span.end <= len(text)


def test_a_long_list_finds_what_a_short_one_does() -> None:
    rng = random.Random(7)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(6, 10))) for _ in range(100_000)]
    words = [w for w in words if all(a * 3 not in w for a in "abcdefghijklmnopqrstuvwxyz")]
    text = normalize("an ordinary message of some length " * 100 + " ".join(words[:20]))
    short = WordIndex([parse_pattern(w) for w in words[:100]])
    long = WordIndex(Pattern((Part(w),)) for w in words)
    assert [hit.span for hit in long.find(text)] == [hit.span for hit in short.find(text)]


@pytest.mark.parametrize("unit", ["a", "(", "f u c k ", "ab ", "a*", "ааа ", "的", "s!1| ", "aab"])
def test_long_hostile_text_is_searched_to_its_end(unit: str) -> None:
    """What takes more than linear time does not come back from this test."""
    index = WordIndex([parse_pattern(w) for w in ("a*", "*b", "*ab*", "a a a b", "的的", "fuck", "finale")])
    text = f"{(unit * 100_000)[:100_000]} finale"
    hits = index.find(normalize(text))
    assert hits[-1].span.of(text) == "finale"
    assert all(0 <= hit.span.start < hit.span.end <= len(text) for hit in hits)
