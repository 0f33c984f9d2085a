"""What the hot path's benchmark counts, and which messages it times."""

from benchmarks.hot_path import LONG, SHORT, WARM, count_calls, select_messages


def _inner(text: str) -> int:
    return len(text)


def _outer(text: str) -> int:
    return _inner(text) + _inner(text)


def test_calls_are_counted_by_message_and_the_end_of_the_profile_is_not() -> None:
    assert count_calls(_inner, ["a", "b"]) == (1, 2)
    assert count_calls(_outer, ["a", "b", "c"]) == (3, 5)


def test_messages_are_distinct_and_of_their_length() -> None:
    selected = select_messages(100)
    assert list(selected) == [LONG, SHORT]
    assert all(len(messages) == len(set(messages)) == 100 + 2 * WARM for messages in selected.values())
    assert all(190 <= len(message) <= 210 for message in selected[LONG])
