"""What all guards share: a verdict on the texts of one message, with a record of what was not looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from seemly.core.errors import ConfigError

if TYPE_CHECKING:
    from seemly.engine.engine import Engine
    from seemly.engine.result import ModerationResult

__all__ = ["REFUSAL", "Checked", "Stage", "TextGuard"]

Stage = Literal["input", "output"]

REFUSAL = "This message was withheld because it breaks the rules."
"""What stands in the place of a text that is blocked."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found out about one message. `results` are the verdicts on its texts.

    `unscanned` names the kinds of parts that no one looked at, such as pictures or the arguments of tools.
    """

    stage: Stage
    results: tuple[ModerationResult, ...]
    blocked: bool
    unscanned: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextGuard:
    """Moderates texts by an engine, and reports every message to `report`, if that is given.

    With `mask`, texts go on with their masks. A text blocks from the action `block_from` on. With
    `block_unscanned`, a message with a part that cannot be looked at is blocked as well.
    """

    engine: Engine
    mask: bool = True
    block_from: Literal["review", "reject"] = "reject"
    block_unscanned: bool = False
    report: Callable[[Checked], None] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.block_from not in ("review", "reject"):
            raise ConfigError('block_from must be "review" or "reject"')

    def blocks(self, result: ModerationResult) -> bool:
        """Whether a verdict blocks."""
        action = result.recommendation.action
        return action == "reject" or action == self.block_from

    def check(self, stage: Stage, texts: list[str], unscanned: tuple[str, ...] = ()) -> tuple[list[str], Checked]:
        """The texts of one message as they may go on, and what was found out about them."""
        results = tuple(self.engine.moderate_many(texts))
        blocked = any(map(self.blocks, results)) or (self.block_unscanned and bool(unscanned))
        checked = Checked(stage, results, blocked, tuple(dict.fromkeys(unscanned)))
        if self.report is not None:
            self.report(checked)
        if not self.mask:
            return texts, checked
        masked = [result.modified_text for result in results]
        return [text if each is None else each for text, each in zip(texts, masked, strict=True)], checked
