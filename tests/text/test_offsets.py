"""Every view of every string leads back to the original: in order, nothing from nowhere, whole clusters."""

from __future__ import annotations

import unicodedata

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from seemly.text.normalize import normalize

PIECES = st.one_of(
    st.sampled_from(list("abcfuckshit AEOX019 @$!|+*#_.,'-\r\n\t")),
    st.sampled_from(["fuck", "f.u.c.k", "sh1t", "a$$", "pаypal", "сосо", "раураl",
                     "хуй", "xуй", "ʞɔnɟ", "fᴜᴄᴋ", "🅵🆄", "ⓕ", "𝖋"]),
    st.sampled_from(["ß", "ẞ", "İ", "ﬁ", "ﷺ", "½", "²", "…", "ǰ",
                     "ΐ", "և", "ſ", "ᾳ", "µ", "Å", "ㅋ", "ｶ", "ﾞ", "⒜", "㊗️", "ℹ️"]),
    st.sampled_from(list("\u0300\u0301\u0308\u0316\u0323\u0336\u0338\u0345\u20dd\u20e3\u093c\u094d\u0e33\u0e49\u05b0\u0651\u3099")),
    st.sampled_from(list("\u00ad\u034f\u061c\u115f\u180e\u200b\u200c\u200d\u2060\u202e\u202c\u2066\u2069\u3164\ufeff\ufe0f\ufe0e")),
    st.sampled_from(list("\U000e0041\U000e0066\U000e007f\U000e0100\ud800\ud83d\ude00\udfff\x00\x08\x7f\x85\ufffe\ufffd")),
    st.sampled_from(["👨‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "1️⃣", "❤️", "👍🏽", "🅰️", "🇫", "🇺🇸", "❗", "©️", "🔥"]),
    st.sampled_from(["क", "्", "ष", "ि", "ก", "ำ", "안", "ᄀ", "ᅡ", "ᆨ", "技", "あ", "م", "ی",
                     "ש", "й", "ї", "α", "μ", "ᠠ"]),
    st.characters(),
)  # fmt: skip
HOSTILE = st.lists(PIECES, max_size=30).map("".join)


@settings(max_examples=400, deadline=None)
@given(HOSTILE, st.booleans(), st.sampled_from([frozenset(), frozenset({"Latin"}), frozenset({"Cyrillic"})]))
def test_offsets_hold_in_every_view(text: str, resolve: bool, scripts: frozenset[str]) -> None:
    normalized = normalize(text, resolve_spoofs=resolve, expected_scripts=scripts)
    clusters = [match.span() for match in regex.finditer(r"\X", text)]
    first, last = {start for start, _ in clusters}, {end for _, end in clusters}
    assert normalized.original == text
    for view in (normalized.raw, normalized.plain, normalized.folded, normalized.squashed):
        size = len(view.text)
        starts = view.starts if view.starts is not None else range(size)
        ends = view.ends if view.ends is not None else range(1, size + 1)
        assert len(starts) == len(ends) == size
        assert all(0 <= a < b <= len(text) for a, b in zip(starts, ends, strict=True))
        assert all(a <= b for a, b in zip(starts, list(starts)[1:], strict=False))
        assert all(a <= b for a, b in zip(ends, list(ends)[1:], strict=False))
        for start in range(size):
            for end in (start + 1, size):
                span = view.origin(start, end)
                assert span.start in first
                assert span.end in last
                assert span.start <= starts[start]
                assert ends[end - 1] <= span.end
        assert len(view.words) == len(view.word_spans)
        assert [view.text[a:b] for a, b in view.word_spans] == list(view.words)
        view.text.encode("utf-8", "strict" if view is not normalized.raw else "surrogatepass")
    for signal in normalized.signals:
        assert signal.span.start in first
        assert signal.span.end in last
        assert 0.0 < signal.probability <= 1.0


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn", "Co"]), max_size=20))
def test_clean_text_is_nfkc(text: str) -> None:
    """Where nothing is hidden or exempt, the plain view without spoofs is NFKC and nothing else."""
    plain = normalize(text, resolve_spoofs=False)
    if plain.cleaned or any(char in EXEMPT or unicodedata.combining(char) for char in text):
        return
    assert plain.plain.text == unicodedata.normalize("NFKC", text)


EXEMPT = frozenset(
    "ำຳϲϹ¼½¾¹²³ℹ↉Ⓜ©" + "".join(map(chr, [*range(0x3131, 0x318F), *range(0x2150, 0x2160), *range(0x2070, 0x208F)]))
    + "".join(chr(c) for c in range(0x10000) if unicodedata.normalize("NFKC", chr(c))[0] == " " != chr(c))
    # Letters in parentheses, which are letters beside others.
    + "".join(map(chr, [*range(0x249C, 0x24B6), *range(0x1F110, 0x1F12A)]))
    + "".join(chr(c) for c in range(0xFE49, 0xFE7F)) + "￣"
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "word", "found"),
    [
        ("the ﬁrst", "first", "ﬁrst"),
        ("a fu\u200bck b", "fuck", "fu\u200bck"),
        ("x f\u0336u\u0336c\u0336k\u0336 y", "fuck", "f\u0336u\u0336c\u0336k\u0336"),
        ("say pаypal!", "paypal", "pаypal"),
        ("Straße", "strasse", "Straße"),
        ("so f.u.c.k it", "fuck", "f.u.c.k"),
        ("what an assssss", "ass", "assssss"),
        ("🇫🇺🇨🇰 this", "fuck", "🇫🇺🇨🇰"),
        ("it is ʞɔnɟ now", "fuck", "ʞɔnɟ"),
        ("n🅱️🅱️a", "bb", "🅱️🅱️"),
        ("안".join(["x ", " y"]), "안", "안"),
        (unicodedata.normalize("NFD", "x 각 y"), "각", unicodedata.normalize("NFD", "각")),
        ("go \u202ekcuf\u202c now", "fuck", "kcuf"),
        ("\ud83d\ude00 f\x00uck", "fuck", "f\x00uck"),
    ],
)
def test_origin_is_what_was_read(text: str, word: str, found: str) -> None:
    normalized = normalize(text)
    views = (normalized.squashed, normalized.folded, normalized.plain)
    view = next(view for view in views if word in view.text)
    at = view.text.index(word)
    assert view.origin(at, at + len(word)).of(text) == found


def test_ascii_and_unchanged_text_share_views() -> None:
    normalized = normalize("plain words here")
    assert normalized.plain is normalized.raw
    assert normalized.squashed is normalized.folded
    assert normalized.folded is normalized.raw
    assert normalized.folded.starts is None
    assert normalize("Привет").plain.starts is None


def test_crlf_is_one_cluster() -> None:
    assert tuple(normalize("a\r\nb").raw.origin(1, 2)) == (1, 3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("don't 'quote' f*ck *s-t*", ["don", "t", "quote", "f*ck", "s", "t"]),
        ("don't s-t_u", ["don", "t", "s", "t", "u"]),
        ("हिंदी है", ["हिंदी", "है"]),
        ("l’été 42", ["l", "ete", "42"]),
        ("x'می\u200cخواهم", ["x", "می\u200cخواهم"]),
        ("OK好的ok", ["ok", "好的", "ok"]),
        ("", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert normalize(text).folded.words == words


@pytest.mark.parametrize(
    ("text", "positions"),
    [
        ("plain", [0, 1, 2, 3, 4]),
        ("sooo ⓘt", [0, 1, 2, None, 3, 4, 5]),
        ("a\u200bb", [0, None, 1]),
        ("ﬁx", [0, 2]),
        ("🄰", [0]),
    ],
)
def test_positions_lead_from_the_original_to_the_view(text: str, positions: list[int | None]) -> None:
    folded = normalize(text).folded
    assert [None if at < 0 else at for at in folded.positions(range(len(text)))] == positions
