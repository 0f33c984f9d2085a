"""Results whose policies are made when they are read behave as any other value."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from seemly import Engine, ModerationResult
from seemly.testing import FakeModels


def _result() -> ModerationResult:
    engine = Engine(models=FakeModels({"you idiot": {"toxicity": 0.9}}), clock=lambda: 1.0, new_id=lambda: "id")
    result = engine.moderate("you idiot")
    return replace(result, meta=replace(result.meta, processing_ms=0.0))


def test_two_of_the_same_are_equal_before_and_after_they_are_read() -> None:
    one, other = _result(), _result()
    assert one["toxicity"].flagged
    assert one == other
    assert other == one


def test_they_pickle_and_copy_unread() -> None:
    result = _result()
    assert pickle.loads(pickle.dumps(result)) == result
    assert copy.copy(_result()) == result
    assert copy.deepcopy(_result()) == result


def test_they_stay_frozen() -> None:
    result = _result()
    with pytest.raises(FrozenInstanceError):
        result.policies = ()  # type: ignore[misc]
    assert result.policies is result.policies


def test_a_name_that_no_result_has_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'verdict'"):
        _ = _result().verdict  # type: ignore[attr-defined]
