from typing import Any

import pytest

from seemly.core.errors import ConfigError
from seemly.policies.builtin import BUILTIN
from seemly.policies.registry import ENTRY_POINTS, Registry
from seemly.testing import FailingPolicy, FakePolicy

ONE, TWO = FakePolicy.spec("one", "a"), FakePolicy.spec("two", "b")


def test_registries_join() -> None:
    both = Registry([ONE]) | Registry([TWO])
    assert [spec.id for spec in both] == ["one", "two"]
    assert len(both) == 2
    assert "one" in both
    assert both["two"] is TWO


def test_joining_leaves_the_parts_as_they_were() -> None:
    one = Registry([ONE])
    assert len(one | Registry([TWO])) == 2
    assert len(one) == 1


def test_two_policies_of_one_id_are_refused() -> None:
    with pytest.raises(ConfigError, match="one"):
        Registry([ONE]) | Registry([FailingPolicy.spec("one")])


def test_the_same_policy_twice_is_one() -> None:
    assert len(Registry([ONE]) | Registry([ONE])) == 1


def test_an_unknown_id_is_told_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match="toxicity"):
        BUILTIN["toxcity"]


class _Entry:
    def __init__(self, name: str, found: Any) -> None:
        self.name, self.value, self.found = name, f"package:{name}", found

    def load(self) -> Any:
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


def _install(monkeypatch: pytest.MonkeyPatch, *entries: _Entry) -> None:
    def entry_points(*, group: str) -> list[_Entry]:
        assert group == ENTRY_POINTS
        return list(entries)

    monkeypatch.setattr("seemly.policies.registry.entry_points", entry_points)


def test_installed_policies_are_found_on_discover_only(monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, _Entry("b", [TWO]), _Entry("a", ONE))
    assert [spec.id for spec in Registry.discover()] == ["one", "two"]
    assert "one" not in BUILTIN


def test_everything_wrong_with_installed_policies_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, _Entry("bad", ImportError("x")), _Entry("odd", ["no spec"]), _Entry("worse", None))
    with pytest.raises(ConfigError) as caught:
        Registry.discover()
    assert [issue.path for issue in caught.value.issues] == ["bad", "odd", "worse"]
