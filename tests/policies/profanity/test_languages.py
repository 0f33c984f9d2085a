"""Words that are profane in one language and ordinary in another."""

from __future__ import annotations

import pytest

from seemly.policies.profanity.alphabets import may_spell
from seemly.policies.profanity.policy import find_profanity
from seemly.text.normalize import normalize


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("the gotos in this program", "en"),
        ("the gotos in this program", None),
        ("a niggardly budget", None),
        ("eau de javel", "fr"),
        ("eau de javel", None),
        ("ein Fuder Heu", "de"),
        ("the village of Fucking, Austria", "en"),
        ("Fucking in Austria", "en"),
        ("en jøder i byen", "no"),
        ("slutt på filmen", "no"),
        ("föda upp djur", "sv"),
        ("sedmi puta", "hr"),
        ("bil fuq il-mejda", "mt"),
    ],
)
def test_ordinary_words_of_a_language_are_left_alone(text: str, language: str | None) -> None:
    assert find_profanity(normalize(text), language=language) == ()


@pytest.mark.parametrize(
    ("text", "language"),
    [("jävel", None), ("javel", "sv"), ("puta", "es"), ("puta", None), ("cipo", "pl"), ("kut", None)],
)
def test_they_count_in_their_own(text: str, language: str | None) -> None:
    assert len(find_profanity(normalize(text), language=language, minimum_grade=2)) == 1


@pytest.mark.parametrize(
    ("written", "languages", "may"),
    [("jøder", ("es",), False), ("jodér", ("es",), True), ("fück", ("en",), True), ("apară", ("fi", "ro"), True)],
)
def test_a_word_is_written_with_letters_of_its_language(written: str, languages: tuple[str, ...], may: bool) -> None:
    assert may_spell(written, languages) is may


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("fuck", "grade:2"),
        ("cunt", "grade:3"),
        ("faggot", "grade:4"),
        ("heebs", "grade:4"),
        ("holohoax", "grade:4"),
        ("damn", "grade:1"),
        ("sewerslide", "grade:1"),
        ("seggs", "grade:1"),
        ("1488", "grade:1"),
    ],
)
def test_grades(text: str, reason: str) -> None:
    assert find_profanity(normalize(text))[0].reasons[0] == reason


@pytest.mark.parametrize(
    "text",
    [
        "fk you", "ffuk", "f@ck", "f u  c  k", "fu©k", "𝔟ⁱẗ𝙘ɦ", "fuuckk", "f*ckwi7", "$h17f*ck*r", "phvck", "shlt", "bıtch",
        "wh@re", "fuc|<", "¢unt", "b¡tch", "motherfukcer", "mthrfckr", "kissmyass",
    ],
)  # fmt: skip
def test_disguises_are_read(text: str) -> None:
    assert find_profanity(normalize(text), minimum_grade=2)
