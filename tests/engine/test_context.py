import threading
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly.core.content import Turn
from seemly.core.errors import ConfigError
from seemly.core.span import Span
from seemly.engine.context import MAX_WINDOW, ConversationMemory, Recollection, Window, build_windows, merge_findings
from seemly.policies.protocol import Finding, Match


def test_the_window_ends_with_the_message() -> None:
    (window,) = build_windows("world", Recollection((Turn("hello", "a"),)))
    assert window == Window("hello", "hello\nworld", 6)


def test_an_authors_own_turns_are_a_window_of_their_own() -> None:
    a1, b1, a2 = Turn("a1", "a"), Turn("b1", "b"), Turn("a2", "a")
    everyone, own = build_windows("c", Recollection((a1, b1, a2), (a1, a2)))
    assert everyone.together == "a1\nb1\na2\nc"
    assert own.together == "a1\na2\nc"


def test_the_same_turns_make_one_window() -> None:
    assert len(build_windows("c", Recollection((Turn("a"),), (Turn("a"),)))) == 1
    assert build_windows("c", Recollection()) == ()


@given(st.lists(st.text(max_size=900), max_size=8), st.text(max_size=10))
def test_windows_are_bounded_and_keep_the_latest_turns(turns: list[str], message: str) -> None:
    for window in build_windows(message, Recollection(tuple(Turn(text) for text in turns))):
        assert window.together[window.offset :] == message
        assert len(window.before) <= MAX_WINDOW + len(turns)
        assert "\n".join(turns).endswith(window.before)


@pytest.mark.parametrize(
    ("alone", "before", "together", "expected"),
    [
        (0.1, 0.1, 0.9, 0.9),
        (0.1, 0.9, 0.95, 0.1),
        (0.1, 0.75, 0.94, 0.1),
        (0.95, 0.1, 0.9, 0.95),
        (0.1, 0.7, 0.9, 0.9),
    ],
)
def test_a_window_counts_only_where_the_message_makes_it_worse(
    alone: float, before: float, together: float, expected: float
) -> None:
    window = Window("ab", "ab\ncd", 3)
    merged = merge_findings(Finding(alone), [(window, Finding(before), Finding(together))], "cd", by_match=False)
    assert merged.probability == expected


WINDOW = Window("+44 20", "+44 20\n7946 0958 ok", 7)
PHONE = Match(Span(0, 16), "+44 20\n7946 0958", 0.9, "phone", mask="{{ phone hidden }}")


def test_matches_of_a_window_are_clipped_to_the_message() -> None:
    earlier = Match(Span(0, 3), "+44", 0.9)
    found = Finding(0.9, (earlier, PHONE))
    merged = merge_findings(Finding(0.0), [(WINDOW, Finding(0.0), found)], "7946 0958 ok", by_match=True)
    assert merged.probability == 0.9
    assert [(match.span, match.match, match.mask) for match in merged.matches] == [
        (Span(0, 9), "7946 0958", "{{ phone hidden }}")
    ]


def test_what_else_the_earlier_turns_held_does_not_hide_what_the_message_completes() -> None:
    email = Match(Span(0, 6), "a@b.co", 0.99, "email")
    phone = replace(PHONE, span=Span(7, 23))
    window = Window("a@b.co +44 20", "a@b.co +44 20\n7946 0958", 14)
    pairs = [(window, Finding(0.99, (email,)), Finding(0.99, (email, phone)))]
    merged = merge_findings(Finding(0.1), pairs, "7946 0958", by_match=True)
    assert merged.probability == 0.9
    assert [match.span for match in merged.matches] == [Span(0, 9)]


def test_a_match_that_the_message_makes_no_surer_is_not_its_own() -> None:
    surer = replace(PHONE, span=Span(0, 6), match="+44 20", probability=0.95)
    pairs = [(WINDOW, Finding(0.95, (surer,)), Finding(0.9, (PHONE,)))]
    assert merge_findings(Finding(0.1), pairs, "7946 0958 ok", by_match=True) == Finding(0.1)


def test_matches_that_do_not_flag_do_not_raise_the_probability() -> None:
    pairs = [(WINDOW, Finding(0.0), Finding(0.0, (replace(PHONE, flagging=False),)))]
    merged = merge_findings(Finding(0.0), pairs, "7946 0958 ok", by_match=True)
    assert merged.probability == 0.0
    assert len(merged.matches) == 1


def test_of_two_matches_in_one_place_the_surer_stays() -> None:
    weak = Match(Span(0, 9), "7946 0958", 0.4, "phone")
    for alone, kept in ((weak, 0.9), (replace(weak, probability=0.95), 0.95)):
        pairs = [(WINDOW, Finding(0.0), Finding(0.9, (PHONE,)))]
        merged = merge_findings(Finding(alone.probability, (alone,)), pairs, "7946 0958", by_match=True)
        assert [(match.span, match.probability) for match in merged.matches] == [(Span(0, 9), kept)]


def _texts(turns: tuple[Turn, ...]) -> list[str]:
    return [turn.text for turn in turns]


def test_memory_keeps_conversations_and_authors() -> None:
    memory = ConversationMemory()
    memory.remember("one", Turn("1", "a"), 0.0)
    memory.remember("two", Turn("2", "a"), 1.0)
    assert _texts(memory.recall("one", "a", 2.0).conversation) == ["1"]
    assert _texts(memory.recall("one", "a", 2.0).author) == ["1", "2"]
    assert memory.recall(None, None, 2.0) == Recollection()
    assert memory.recall("three", "b", 2.0) == Recollection()


def test_memory_forgets_what_is_old_or_too_much() -> None:
    memory = ConversationMemory(turns=2, seconds=10.0, conversations=3)
    for second in range(4):
        memory.remember("c", Turn(str(second)), float(second))
    assert _texts(memory.recall("c", None, 4.0).conversation) == ["2", "3"]
    assert _texts(memory.recall("c", None, 12.5).conversation) == ["3"]
    assert memory.recall("c", None, 60.0) == Recollection()
    for each in range(1000):
        memory.remember(f"c{each}", Turn("x", f"a{each}"), 0.0)
    assert len(memory) <= 6
    assert memory.recall("c999", None, 0.0).conversation
    memory.remember("later", Turn("x"), 1e6)
    assert memory.recall("c999", None, 0.0) == Recollection()


def test_memory_keeps_no_more_of_a_turn_than_is_ever_read() -> None:
    memory = ConversationMemory()
    memory.remember("c", Turn("a" * 50_000 + "z"), 0.0)
    (turn,) = memory.recall("c", None, 0.0).conversation
    assert len(turn.text) == MAX_WINDOW
    assert turn.text.endswith("z")


def test_a_turn_from_the_future_ages_none_of_the_others() -> None:
    memory = ConversationMemory(seconds=10.0)
    memory.remember("c", Turn("early", "a", timestamp=0.0), 0.0)
    memory.remember("c", Turn("stamped ahead", "b", timestamp=1e15), 1.0)
    assert _texts(memory.recall("c", "a", 2.0).conversation) == ["early", "stamped ahead"]


def test_memory_is_safe_between_threads() -> None:
    memory = ConversationMemory(turns=1000, conversations=10)

    def write(author: str) -> None:
        for i in range(200):
            memory.remember("c", Turn(str(i), author), float(i))
            memory.recall("c", author, float(i))

    threads = [threading.Thread(target=write, args=(str(n),)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(memory.recall("c", None, 0.0).conversation) == 800


@pytest.mark.parametrize("limits", [{"turns": 0}, {"seconds": -1.0}, {"conversations": 0}])
def test_limits_are_checked(limits: dict[str, int]) -> None:
    with pytest.raises(ConfigError):
        ConversationMemory(**limits)
