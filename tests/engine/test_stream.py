import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from seemly.core.channel import Channel, PolicySettings, Triage, Wordlist
from seemly.core.errors import ConfigError, ContentError
from seemly.engine.engine import Engine
from seemly.engine.stream import LONGEST_WAIT, Released, TextStream
from tests.support.strategies import hostile_texts

LENIENT = Engine(Channel(key="lenient", triage=Triage(0.5, 1.0)), tier="fast")
"""Masks, and never rejects."""
STRICT = Engine(Channel(key="strict", wordlists=(Wordlist("banned", ("forbidden",)),)), tier="fast")
"""Rejects what is forbidden."""

SENTENCES = (
    "The weather is fine today. ",
    "Nothing to see here!\n",
    "How are you? ",
    "lower case goes on, and on. ",
    "You can't be serious… ",
    "“Quoted.” ",
    "我明天去学校。",
    "Это было давно. ",
    "- a point of a list\n",
    "Version 3.11 of it came out in 2024. ",
    "I paid 12.50 for 3. ",
    "e.g. A, i.e. B. ",
)
VALUES = (
    "Write to jo.smith@example.org, please. ",
    "jo (at) example\n(dot) org ",
    "Call +44 20. 7946. 0958 now. ",
    "It is five five five. one two three. four five six seven. ",
    "My card: 4111 1111\n1111 1111. ",
    "I live at 12 High Street.\nLondon SW1A 1AA. ",
    "Hauptstr. 12, 10115 Berlin. ",
    "password:\nhunter22! ",
    "-----BEGIN PRIVATE KEY-----\nMIIBVQIBADANBgkqhkiG9w0BAQEFAASC\nAT8wggE7AgEAAkEA\n-----END PRIVATE KEY-----\n",
    "DE89 3704 0044\n0532 0130 00 is my IBAN. ",
    "f. u. c. k. off. ",
    "You are an i d i o t. ",
    "That is f. o. r. b. i. d. d. e. n. ",
)
texts = st.lists(
    st.one_of(st.sampled_from(SENTENCES), st.sampled_from(VALUES), hostile_texts.map(lambda text: text[:20])),
    max_size=12,
).map("".join)
holds = st.sampled_from(["sentence", "line", 1, 40, 200])


def _cut(text: str, places: Sequence[int]) -> list[str]:
    ends = sorted({min(place, len(text)) for place in places} | {len(text)})
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _run(engine: Engine, pieces: Sequence[str], hold: Any) -> tuple[list[str], TextStream]:
    stream = engine.open_stream(hold)
    released = [part.text for piece in pieces for part in stream.push(piece)]
    return released + [part.text for part in stream.finish()], stream


def _mask(engine: Engine, text: str) -> str:
    masked = engine.moderate(text).modified_text
    return text if masked is None else masked


@settings(max_examples=100)
@given(text=texts, places=st.lists(st.integers(0, 400), max_size=12), hold=holds)
@example("Call +44 20. 7946. 0958 now. ", [9, 12, 13], "sentence")
def test_what_is_released_is_the_masked_whole(text: str, places: list[int], hold: Any) -> None:
    released, stream = _run(LENIENT, _cut(text, places), hold)
    assert not stream.blocked
    assert "".join(released) == _mask(LENIENT, text)


@settings(max_examples=40)
@given(text=texts, places=st.lists(st.integers(0, 400), max_size=12), hold=holds)
def test_how_a_text_is_cut_changes_nothing(text: str, places: list[int], hold: Any) -> None:
    released, stream = _run(STRICT, _cut(text, places), hold)
    alone, one_by_one = _run(STRICT, list(text), hold)
    assert (released, stream.blocked) == (alone, one_by_one.blocked)
    whole, _ = _run(STRICT, [text], hold)
    assert released == whole
    assert _mask(STRICT, text).startswith("".join(released))
    assert stream.blocked or "".join(released) == _mask(STRICT, text)
    assert stream.result.recommendation == one_by_one.result.recommendation


def test_a_sentence_is_released_as_soon_as_the_next_begins() -> None:
    stream = LENIENT.open_stream()
    assert stream.push("All is well here. ") == []
    assert [part.text for part in stream.push("So")] == ["All is well here. "]
    assert [part.text for part in stream.finish()] == ["So"]
    assert stream.finish() == []


@pytest.mark.parametrize(
    ("hold", "parts"),
    [
        ("sentence", ["One day. ", "Another day.\n", "The end"]),
        ("line", ["One day. Another day.\n", "The end"]),
        (12, ["One day. Another ", "day.\nThe end"]),
    ],
)
def test_the_hold_says_what_is_judged_at_a_time(hold: Any, parts: list[str]) -> None:
    rest = " was rather long and nothing came of it in the way that anybody would have thought of it before that"
    text = "One day. Another day.\nThe end"
    stream = LENIENT.open_stream(hold)
    released = [part.text for part in (*stream.push(text.replace("One", "Some") + rest), *stream.finish())]
    if isinstance(hold, int):
        assert all(len(part) >= hold for part in released[:-1])
        assert len(released) > 2
    else:
        assert released == ["Some day. " + parts[0][9:], *parts[1:-1], parts[-1] + rest]
    assert "".join(released) == text.replace("One", "Some") + rest


def test_a_value_that_crosses_a_boundary_is_held_until_it_ends() -> None:
    stream = LENIENT.open_stream()
    assert stream.push("Call me on +44 20. 7946. 0958. Then we shall talk about it. ") == []
    parts = stream.push("That is all that I have to say, and there is nothing that anybody could add to it.")
    text = "".join(part.text for part in (*parts, *stream.finish()))
    assert "7946" not in text
    assert text.startswith("Call me on {{ phone hidden }}. Then")


def test_a_rejected_part_blocks_the_stream() -> None:
    stream = STRICT.open_stream()
    first = stream.push("Good morning to you all. This is f o r b i d d e n, and you know it. And then some more. Y")
    assert [part.text for part in first] == ["Good morning to you all. "]
    assert stream.blocked
    assert stream.result.recommendation.action == "reject"
    verdict = stream.result
    assert stream.push("Nothing of this. Is shown.") == []
    assert stream.finish() == []
    assert stream.result is verdict


def test_a_review_is_released_with_its_verdict() -> None:
    engine = Engine(Channel(triage=Triage(0.5, 1.0)), tier="fast")
    parts = list(engine.stream(["You are a f", ". u. c. k. i. n. g idiot. "]))
    assert [part.result.recommendation.action for part in parts] == ["review"]


def test_the_result_is_of_the_whole_so_far() -> None:
    stream = LENIENT.open_stream()
    stream.push("Write to jo@exa")
    assert not stream.result.content.masked
    stream.push("mple.org")
    assert stream.result.modified_text == "Write to {{ email hidden }}"


def test_a_wait_is_bounded() -> None:
    stream = LENIENT.open_stream()
    waited, longest = 0, 0
    for _ in range(3 * LONGEST_WAIT // 5):
        released = stream.push("word ")
        waited = waited + 5 - sum(len(part.text) for part in released)
        longest = max(longest, waited)
    assert longest <= LONGEST_WAIT
    assert waited < 3 * LONGEST_WAIT


def test_a_value_longer_than_the_longest_wait_is_held() -> None:
    key = "-----BEGIN PRIVATE KEY-----\n" + "MIIBVQIBADANBgkqhkiG9w0BAQEFAASC\n" * 90 + "-----END PRIVATE KEY-----"
    text = f"Here it is. {key}\nThat was the key, and what follows it is of no interest to anybody at all, I think."
    released, _ = _run(LENIENT, [text[at : at + 7] for at in range(0, len(text), 7)], "sentence")
    assert "".join(released) == _mask(LENIENT, text)
    assert "MIIB" not in "".join(released)


def test_masked_phrases_of_a_wordlist_are_held() -> None:
    channel = Channel(wordlists=(Wordlist("names", ("project blue bird",), mask=True),), triage=Triage(0.5, 1.0))
    engine = Engine(channel, tier="fast")
    text = "It is called project. Blue. Bird is the name. And so on it goes. "
    released, _ = _run(engine, list(text), "sentence")
    assert "".join(released) == _mask(engine, text)
    assert "Bird" not in "".join(released)


def test_pseudonyms_are_numbered_over_the_whole_text() -> None:
    options = {"style": {"kind": "pseudonym"}}
    engine = Engine(
        Channel(policies=(PolicySettings("personal_information", options=options),), triage=Triage(0.5, 1.0)),
        tier="fast",
    )
    text = "".join(f"Write to person{i % 9}@mail{i}.org about it. {'Words and words follow. ' * 8}" for i in range(12))
    released, _ = _run(engine, [text], "sentence")
    assert "".join(released) == _mask(engine, text)
    assert len(released) > 12


def test_the_verdict_is_that_of_the_part_with_what_stands_before_it() -> None:
    seen: list[str] = []

    def judge(text: str) -> Any:
        seen.append(text)
        return LENIENT.moderate(text)

    stream = TextStream(judge)
    stream.push("The first day. The second day. The third")
    stream.finish()
    assert seen == [
        "The first day. Th",
        "The first day. The second day. Th",
        "The first day. The second day. The third",
    ]


@pytest.mark.parametrize("hold", ["word", 0, 1001, 2.5, True, None])
def test_another_hold_is_refused(hold: Any) -> None:
    with pytest.raises(ConfigError, match="hold must be"):
        LENIENT.open_stream(hold)


def test_what_cannot_be_pushed_is_refused() -> None:
    stream = LENIENT.open_stream()
    with pytest.raises(ContentError, match="must be a str, not bytes"):
        stream.push(b"bytes")  # type: ignore[arg-type]
    with pytest.raises(ContentError, match="at most 100,000 characters"):
        stream.push("x" * 100_001)
    stream.finish()
    with pytest.raises(ContentError, match="is finished"):
        stream.push("more")


def test_the_iterators_release_the_same() -> None:
    deltas = ["Write to jo@", "example.org. ", "Thanks a ", "lot."]

    async def arrive() -> AsyncIterator[str]:
        for delta in deltas:
            yield delta

    async def collect() -> list[Released]:
        return [part async for part in LENIENT.astream(arrive())]

    parts = [part.text for part in LENIENT.stream(iter(deltas))]
    assert "".join(parts) == "Write to {{ email hidden }}. Thanks a lot."
    assert [part.text for part in asyncio.run(collect())] == parts


def test_the_iterator_ends_where_the_text_is_rejected() -> None:
    taken: list[str] = []

    def deltas() -> Iterator[str]:
        for delta in ("Good morning. ", "This is f o r b i d d e n, and you know it. ", "More. ", "Never asked for."):
            taken.append(delta)
            yield delta

    assert [part.text for part in STRICT.stream(deltas())] == ["Good morning. "]
    assert len(taken) < 4


@pytest.mark.parametrize(
    "value",
    [
        *(f"It is {word}. " for word in ("five", "double", "cero", "quatre", "sieben", "sei", "oito", "семь")),
        "Write to jo at example. ",
        "Call 555. ",
        "Ask @jo. ",
        "Vivo en calle Mayor. ",
        "Sie wohnt in der langen Gasse. ",
        "I have met Anna. ",
    ],
)
def test_a_sentence_that_a_value_may_begin_in_waits(value: str) -> None:
    stream = LENIENT.open_stream()
    assert stream.push(value + "That is all that we can say") == []
    assert "".join(part.text for part in stream.finish()) == value + "That is all that we can say"
