import threading
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly.content import Turn
from seemly.context import MAX_WINDOW, ConversationMemory, Window, build_windows, merge_findings
from seemly.errors import ConfigError
from seemly.policy import Finding, Match
from seemly.span import Span


def test_the_window_ends_with_the_message() -> None:
    (window,) = build_windows("world", "a", [Turn("hello", "a")])
    assert window == Window("hello", "hello\nworld", 6)


def test_an_authors_own_turns_are_a_window_of_their_own() -> None:
    everyone, own = build_windows("c", "a", [Turn("a1", "a"), Turn("b1", "b"), Turn("a2", "a")])
    assert everyone.together == "a1\nb1\na2\nc"
    assert own.together == "a1\na2\nc"


def test_without_history_there_is_no_window() -> None:
    assert build_windows("c", "a", []) == ()


@given(st.lists(st.text(max_size=900), max_size=8), st.text(max_size=10))
def test_windows_are_bounded_and_keep_the_latest_turns(turns: list[str], message: str) -> None:
    for window in build_windows(message, None, [Turn(text) for text in turns]):
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
    merged = merge_findings(Finding(alone), [(window, Finding(before), Finding(together))], "cd")
    assert merged.probability == expected


def test_matches_of_a_window_are_clipped_to_the_message() -> None:
    window = Window("+44 20", "+44 20\n7946 0958 ok", 7)
    phone = Match(Span(0, 16), "+44 20\n7946 0958", 0.9, "phone", mask="{{ phone hidden }}")
    earlier = Match(Span(0, 3), "+44", 0.9)
    merged = merge_findings(Finding(0.0), [(window, Finding(0.0), Finding(0.9, (earlier, phone)))], "7946 0958 ok")
    assert [(match.span, match.match, match.mask) for match in merged.matches] == [
        (Span(0, 9), "7946 0958", "{{ phone hidden }}")
    ]


def test_of_two_matches_in_one_place_the_surer_stays() -> None:
    window = Window("+44 20", "+44 20\n7946 0958", 7)
    weak = Match(Span(0, 9), "7946 0958", 0.4, "phone")
    phone = Match(Span(0, 16), "+44 20\n7946 0958", 0.9, "phone")
    for alone, together, kept in ((weak, phone, 0.9), (replace(weak, probability=0.95), phone, 0.95)):
        found = Finding(0.4, (alone,))
        merged = merge_findings(found, [(window, Finding(0.0), Finding(0.9, (together,)))], "7946 0958")
        assert [(match.span, match.probability) for match in merged.matches] == [(Span(0, 9), kept)]


def test_memory_keeps_conversations_apart_and_falls_back_on_the_author() -> None:
    memory = ConversationMemory()
    memory.remember("one", Turn("1", "a"), 0.0)
    memory.remember("two", Turn("2", "a"), 1.0)
    assert [turn.text for turn in memory.recall("one", "a", 2.0)] == ["1"]
    assert [turn.text for turn in memory.recall(None, "a", 2.0)] == ["1", "2"]
    assert memory.recall(None, None, 2.0) == ()
    assert memory.recall("three", "b", 2.0) == ()


def test_memory_forgets_what_is_old_or_too_much() -> None:
    memory = ConversationMemory(turns=2, seconds=10.0, conversations=3)
    for second in range(4):
        memory.remember("c", Turn(str(second)), float(second))
    assert [turn.text for turn in memory.recall("c", None, 4.0)] == ["2", "3"]
    assert [turn.text for turn in memory.recall("c", None, 12.5)] == ["3"]
    assert memory.recall("c", None, 60.0) == ()
    for each in range(1000):
        memory.remember(f"c{each}", Turn("x", f"a{each}"), 0.0)
    assert len(memory) <= 6
    assert memory.recall("c999", None, 0.0)


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
    assert len(memory.recall("c", None, 0.0)) == 800


@pytest.mark.parametrize("limits", [{"turns": 0}, {"seconds": -1.0}, {"conversations": 0}])
def test_limits_are_checked(limits: dict[str, int]) -> None:
    with pytest.raises(ConfigError):
        ConversationMemory(**limits)
