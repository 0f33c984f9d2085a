"""What comes while threads are busy is worked on together: everyone gets their own answer, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest

pytest.importorskip("fastapi", reason='needs "seemly[server]"')

from seemly.adapters.server.request_batching import Gathering
from seemly.core.errors import NotFoundError


class Doubling:
    """Doubles numbers, once it may, and notes how many it is given at once; a negative one it has nothing of."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.begun, self.may_end = threading.Event(), threading.Event()

    def __call__(self, numbers: Sequence[int]) -> list[int | BaseException]:
        self.sizes.append(len(numbers))
        self.begun.set()
        assert self.may_end.wait(30.0)
        return [2 * each if each >= 0 else NotFoundError(f"there is no {each}") for each in numbers]


async def begin(gathering: Gathering[int, int], doubling: Doubling, number: int) -> asyncio.Task[int]:
    """A call that a thread has begun to work on."""
    task = asyncio.create_task(gathering.run(number))
    while not doubling.begun.is_set():
        await asyncio.sleep(0.001)
    return task


def test_who_comes_while_a_thread_is_busy_waits_for_the_next_turn_with_all_the_others() -> None:
    doubling = Doubling()

    async def use() -> None:
        gathering = Gathering(doubling, 1)
        first = await begin(gathering, doubling, 100)
        others = [asyncio.create_task(gathering.run(number)) for number in range(70)]
        await asyncio.sleep(0)
        doubling.may_end.set()
        assert await asyncio.gather(first, *others) == [200, *(2 * number for number in range(70))]
        await gathering.finish()

    asyncio.run(use())
    assert doubling.sizes == [1, 64, 6]


def test_each_thread_has_a_turn_of_its_own() -> None:
    doubling = Doubling()

    async def use() -> None:
        gathering = Gathering(doubling, 2)
        calls = [asyncio.create_task(gathering.run(number)) for number in range(5)]
        while len(doubling.sizes) < 2:
            await asyncio.sleep(0.001)
        doubling.may_end.set()
        assert await asyncio.gather(*calls) == [0, 2, 4, 6, 8]

    asyncio.run(use())
    assert doubling.sizes == [1, 1, 3]


def test_what_is_wrong_with_one_is_told_to_that_one() -> None:
    doubling = Doubling()

    async def use() -> None:
        gathering = Gathering(doubling, 1)
        first = await begin(gathering, doubling, 1)
        calls = [asyncio.create_task(gathering.run(number)) for number in (2, -3, 4)]
        await asyncio.sleep(0)
        doubling.may_end.set()
        good, bad, other = await asyncio.gather(*calls, return_exceptions=True)
        assert (await first, good, other) == (2, 4, 8)
        assert isinstance(bad, NotFoundError)

    asyncio.run(use())


def test_what_goes_wrong_altogether_is_told_to_everyone_and_the_next_are_answered() -> None:
    failing = True

    def act(numbers: Sequence[int]) -> Sequence[int]:
        if failing:
            raise ZeroDivisionError
        return numbers

    async def use() -> None:
        nonlocal failing
        gathering = Gathering(act, 1)
        found = await asyncio.gather(*(gathering.run(number) for number in range(3)), return_exceptions=True)
        assert [type(each) for each in found] == [ZeroDivisionError] * 3
        failing = False
        assert await gathering.run(7) == 7

    asyncio.run(use())


def test_what_nobody_waits_for_is_not_begun_and_what_was_begun_goes_on() -> None:
    doubling = Doubling()

    async def use() -> None:
        gathering = Gathering(doubling, 1)
        first = await begin(gathering, doubling, 1)
        second, third = (asyncio.create_task(gathering.run(number)) for number in (2, 3))
        await asyncio.sleep(0)
        first.cancel()
        second.cancel()
        await asyncio.sleep(0)
        doubling.may_end.set()
        assert await third == 6
        assert first.cancelled()
        assert second.cancelled()

    asyncio.run(use())
    assert doubling.sizes == [1, 1]


def test_what_waits_when_the_server_stops_is_answered_first() -> None:
    doubling = Doubling()

    async def use() -> None:
        gathering = Gathering(doubling, 1)
        first = await begin(gathering, doubling, 1)
        second = asyncio.create_task(gathering.run(2))
        await asyncio.sleep(0)
        finishing = asyncio.create_task(gathering.finish())
        await asyncio.sleep(0.01)
        doubling.may_end.set()
        await finishing
        assert await asyncio.gather(first, second) == [2, 4]

    asyncio.run(use())


def test_an_iterator_that_ends_too_soon_is_a_fault_like_any_other() -> None:
    def act(_numbers: Sequence[int]) -> Sequence[int]:
        raise StopIteration

    async def use() -> None:
        gathering = Gathering(act, 1)
        for _ in range(2):
            with pytest.raises(RuntimeError):
                await asyncio.wait_for(gathering.run(1), 20.0)

    asyncio.run(use())
