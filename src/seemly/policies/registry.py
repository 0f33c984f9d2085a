"""Which policies there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import entry_points

from seemly.core.errors import ConfigError, Issue
from seemly.policies.protocol import Spec

__all__ = ["ENTRY_POINTS", "Registry"]

ENTRY_POINTS = "seemly.policies"
"""The entry-point group in which a package offers a Spec, or an iterable of them."""


class Registry:
    """An immutable set of Specs by id. `|` joins two; an id that stands in both is a ConfigError."""

    __slots__ = ("_specs",)

    def __init__(self, specs: Iterable[Spec] = ()) -> None:
        table: dict[str, Spec] = {}
        for spec in specs:
            if table.setdefault(spec.id, spec) is not spec:
                raise ConfigError(f"two different policies have the id {spec.id!r}; rename one of them")
        self._specs = table

    @classmethod
    def discover(cls) -> Registry:
        """The policies that installed packages offer under the entry-point group `seemly.policies`.

        Raises ConfigError that names each entry point that cannot be loaded or is not a Spec.
        """
        specs: list[Spec] = []
        issues: list[Issue] = []
        for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda each: each.name):
            try:
                found = entry.load()
                listed = [found] if isinstance(found, Spec) else list(found)
            except Exception as error:  # noqa: BLE001  (whatever a foreign module raises is a fault of that module)
                issues.append(Issue(entry.name, f"cannot be loaded from {entry.value}: {type(error).__name__}"))
                continue
            if all(isinstance(each, Spec) for each in listed):
                specs.extend(listed)
            else:
                issues.append(Issue(entry.name, f"{entry.value} must be a Spec or an iterable of Specs"))
        if issues:
            raise ConfigError("some installed policies cannot be used", issues)
        return cls(specs)

    def __or__(self, other: Registry) -> Registry:
        return Registry([*self, *other])

    def __iter__(self) -> Iterator[Spec]:
        return iter(self._specs.values())

    def __len__(self) -> int:
        return len(self._specs)

    def __contains__(self, policy: object) -> bool:
        return policy in self._specs

    def __getitem__(self, policy: str) -> Spec:
        try:
            return self._specs[policy]
        except KeyError:
            raise ConfigError(f"no policy has the id {policy!r}; known are {', '.join(self._specs)}") from None

    def __repr__(self) -> str:
        return f"Registry({list(self._specs)})"
