"""`unicode_spoofing`: text written to look like what it is not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seemly.core.errors import ConfigError, Issue
from seemly.core.frozen import EMPTY
from seemly.policies.protocol import NOTHING, Defaults, Finding, Match, Spec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seemly.core.channel import Channel
    from seemly.policies.protocol import Item
    from seemly.text.spoof_signals import Signal

__all__ = ["SPEC", "SpoofingOptions", "UnicodeSpoofing"]

KINDS = ("mixed_script", "confusable_word", "invisible", "zalgo", "illegal", "encoding_damage")


@dataclass(frozen=True, slots=True)
class SpoofingOptions:
    """Options of the policy. `signals` switches kinds of signal off (or on, as all are)."""

    signals: Mapping[str, bool] = EMPTY

    def __post_init__(self) -> None:
        """Raise ConfigError for a kind that there is not."""
        unknown = sorted(set(self.signals) - set(KINDS))
        if unknown:
            issues = [Issue(f"signals.{kind}", f"unknown signal; known are {', '.join(KINDS)}") for kind in unknown]
            raise ConfigError("unicode_spoofing cannot work", issues)


class UnicodeSpoofing:
    """Turns the signals of normalization into one probability.

    The probability is `1 - Π(1 - p)` over the kinds of signal, where `p` is the largest probability of the kind:
    kinds are taken as independent signs, and more signals of one kind as the same sign again.
    """

    def __init__(self, options: SpoofingOptions) -> None:
        self._off = frozenset(kind for kind, on in options.signals.items() if not on)

    def check(self, items: Sequence[Item]) -> Sequence[Finding]:
        """One finding an item: its probability and a match a signal."""
        return [self._find(item) for item in items]

    def _find(self, item: Item) -> Finding:
        signals = [signal for signal in item.text.signals if signal.kind not in self._off]
        if not signals:
            return NOTHING
        worst: dict[str, float] = {}
        for signal in signals:
            worst[signal.kind] = max(signal.probability, worst.get(signal.kind, 0.0))
        clear = 1.0
        for probability in worst.values():
            clear *= 1.0 - probability
        return Finding(1.0 - clear, tuple(_match(signal, item.text.original) for signal in signals))


def _match(signal: Signal, original: str) -> Match:
    return Match(
        span=signal.span,
        match=signal.span.of(original),
        probability=signal.probability,
        entity_type=signal.kind,
        reasons=(signal.detail,),
    )


def _build(options: SpoofingOptions, _channel: Channel) -> UnicodeSpoofing:
    return UnicodeSpoofing(options)


SPEC: Spec = Spec(
    id="unicode_spoofing",
    kind="classifier",
    build=_build,
    options=SpoofingOptions,
    defaults=Defaults(flag=False),
)
"""Off for flagging unless a channel asks: a spoof is a sign, and what it hid is what the other policies read."""
