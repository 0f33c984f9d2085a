from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from seemly.core.span import Span
from seemly.policies.builtin import BUILTIN
from seemly.policies.protocol import NOTHING, Finding, Item, Label, Match, Policy, Spec
from seemly.testing import FailingPolicy, FakePolicy, check_policy


class _Quoting:
    """Finds the first word, wrongly in one way or another."""

    def __init__(self, wrong: str) -> None:
        self.wrong = wrong
        self.calls = 0

    def check(self, items: Sequence[Item]) -> Sequence[Finding]:
        self.calls += 1
        if self.wrong == "count":
            return [NOTHING]
        if self.wrong == "state":
            return [Finding(min(1.0, self.calls / 10)) for _ in items]
        if self.wrong == "neighbours":
            return [Finding(1.0 / len(items)) for _ in items]
        if self.wrong == "order":
            return [Finding(i / len(items)) for i, _ in enumerate(items)]
        return [self._find(item.text.original) for item in items]

    def _find(self, text: str) -> Finding:
        match self.wrong:
            case "range":
                return Finding(1.5)
            case "nan":
                return Finding(float("nan"))
            case "label":
                return Finding(0.5, labels=(Label("x", -0.1),))
            case "outside":
                return Finding(0.5, (Match(Span(0, len(text) + 1), text, 0.5),))
            case "empty":
                return Finding(0.5, (Match(Span(0, 0), "", 0.5),))
            case _:
                return Finding(0.5, (Match(Span(0, 1), "another", 0.5),)) if text else NOTHING


def _make(wrong: str, *_given: object) -> Policy:
    return _Quoting(wrong)


@pytest.mark.parametrize(
    "wrong", ["count", "state", "neighbours", "order", "range", "nan", "label", "outside", "empty", "quote"]
)
def test_a_policy_that_misbehaves_is_caught(wrong: str) -> None:
    with pytest.raises(AssertionError, match="misbehaving"):
        check_policy(Spec("misbehaving", "entity_matcher", partial(_make, wrong)))


def test_a_policy_that_raises_is_caught() -> None:
    with pytest.raises(RuntimeError):
        check_policy(FailingPolicy.spec("x"))


def test_a_policy_that_behaves_passes() -> None:
    check_policy(FakePolicy.spec("fake", "words"), texts=["words and words"])


SAMPLES: dict[str, Any] = {
    "profanity": ["what the fuck", "ＦＵＣＫ", "f.u.c.k"],
    "personal_information": ["mail jo@example.com or call +44 20 7946 0958"],
    "url": ["see https://exa\u0301mple.com/a?b=c."],
    "unicode_spoofing": ["pаypal", "fu\u200bck"],
}


@pytest.mark.parametrize("spec", list(BUILTIN), ids=lambda spec: spec.id)
def test_every_built_in_policy_behaves(spec: Spec) -> None:
    check_policy(spec, texts=SAMPLES.get(spec.id, ()))
