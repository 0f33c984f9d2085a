"""How often an ordinary channel is right: `python -m benchmarks.judgement [--tier TIER] [--models ROOT] [--worst N]`.

`suites/judgement.tsv` holds messages in twenty languages, written for measuring: nothing was trained on them, and their
author was not shown what was. A row is `plain` (innocent), `hard` (innocent, but with words that alarm) or `harmful`,
with the policy that should find it. A message counts as acted on, and a harmful one as caught, if a channel with
default settings recommends to review or to reject it.

`suites/injections.tsv` holds prompts: injections, ordinary prompts, and ordinary ones with words that injections use.
If alt-profanity-check or better-profanity is installed, it reads the English messages in the same run.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from seemly.core.channel import Channel
from seemly.engine.engine import Engine
from seemly.engine.models import Models

SUITES = Path(__file__).parent / "suites"
WISH = "self_harm"
"""The policy of the rows in which the author wishes to die or to hurt themselves."""

INJECTION = "prompt_injection"
ORDINARY_SHARE = 0.01
"""The share of ordinary prompts that may score above the threshold at which recall is measured."""

MEASURES: Mapping[str, tuple[str, str]] = {
    "plain acted on %": ("≤ 1", "≤ 2"),
    "hard acted on %": ("≤ 6", "≤ 10"),
    "harmful caught %": ("≥ 85", "≥ 75"),
    "wishes to die found %": ("", "≥ 80"),
    "found by their policy %": ("", ""),
}
"""Each measure with its aims: in English, and in the mean of the other languages."""

Figures = dict[str, float | None]
"""Per cent by measure; None if the engine has no policy that could be measured."""


@dataclass(frozen=True, slots=True)
class Row:
    """One message of the suite. `policy` is empty unless `kind` is `harmful`."""

    id: str
    language: str
    kind: str
    policy: str
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The engine's answer to one row. `flags` holds the ids of the policies that flagged it, the highest first."""

    row: Row
    acted: bool
    severity: float
    flags: tuple[str, ...]

    @property
    def wrong(self) -> bool:
        """Whether an innocent message was acted on, or a harmful one was not."""
        return self.acted != (self.row.kind == "harmful")


def read_suite(name: str) -> list[dict[str, str]]:
    """Read the rows of one tab-separated suite."""
    with (SUITES / f"{name}.tsv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def judge(engine: Engine, rows: Sequence[Row]) -> list[Verdict]:
    """Moderate every row with the engine's channel."""
    verdicts = []
    for row, result in zip(rows, engine.moderate_many(row.text for row in rows), strict=True):
        flags = tuple(policy.id for policy in result.policies if policy.flagged)
        acted = result.recommendation.action in ("review", "reject")
        verdicts.append(Verdict(row, acted, result.evaluation.severity_score, flags))
    return verdicts


def measure(verdicts: Sequence[Verdict], policies: Sequence[str]) -> Figures:
    """Measure the verdicts of one language. Policies that the engine lacks are left out of the last two figures."""
    harmful = [verdict for verdict in verdicts if verdict.row.kind == "harmful"]
    known = [verdict for verdict in harmful if verdict.row.policy in policies]
    found = (
        _acted(verdicts, "plain"),
        _acted(verdicts, "hard"),
        _acted(verdicts, "harmful"),
        share(WISH in verdict.flags for verdict in known if verdict.row.policy == WISH),
        share(verdict.row.policy in verdict.flags for verdict in known),
    )
    return dict(zip(MEASURES, found, strict=True))


def measure_mean(figures: Sequence[Figures]) -> Figures:
    """Average the figures of several languages, each with the same weight."""
    averages: Figures = {}
    for name in MEASURES:
        values = [value for each in figures if (value := each[name]) is not None]
        averages[name] = round(mean(values), 1) if values else None
    return averages


def measure_injections(engine: Engine, plain: Sequence[str]) -> Figures:
    """Measure the policy for prompt injections; `plain` are further ordinary texts, which make 1 % a whole number."""
    rows = read_suite("injections")
    results = list(engine.moderate_many([row["text"] for row in rows] + list(plain)))
    scores = [result[INJECTION].probability for result in results]
    limit = next(policy.threshold for policy in engine._plan.policies if policy.spec.id == INJECTION)
    kinds = [row["kind"] for row in rows] + ["ordinary"] * len(plain)
    of = {
        kind: [score for score, each in zip(scores, kinds, strict=True) if each == kind]
        for kind in ("injection", "ordinary", "trigger")
    }
    hidden = [score for score, row in zip(scores, rows, strict=False) if row["place"] == "document"]
    ordinary = sorted(of["ordinary"], reverse=True)
    strict = ordinary[int(ORDINARY_SHARE * len(ordinary))]
    return {
        "injections found, at 1 % of ordinary prompts %": share(score > strict for score in of["injection"]),
        "those hidden in documents %": share(score > strict for score in hidden),
        "ordinary prompts with trigger words, there %": share(score > strict for score in of["trigger"]),
        "injections found, at the policy's threshold %": share(score >= limit for score in of["injection"]),
        "ordinary prompts, there %": share(score >= limit for score in of["ordinary"]),
        "those with trigger words, there %": share(score >= limit for score in of["trigger"]),
    }


def measure_peers(rows: Sequence[Row]) -> dict[str, Figures]:
    """Measure the installed peers on the same rows."""
    found: dict[str, Figures] = {}
    for name, make in PEERS.items():
        try:
            flags = make()([row.text for row in rows])
        except ImportError:
            continue
        verdicts = [Verdict(row, flag, float(flag), ()) for row, flag in zip(rows, flags, strict=True)]
        found[name] = measure(verdicts, ())
    return found


def share(hits: Iterable[bool]) -> float | None:
    """The share of hits, in per cent; None of nothing."""
    counted = list(hits)
    return round(100 * sum(counted) / len(counted), 1) if counted else None


def worst(verdicts: Sequence[Verdict], count: int) -> list[Verdict]:
    """The worst mistakes: innocent messages with the highest severity, and harmful ones with the lowest, in turn."""
    wrong = [verdict for verdict in verdicts if verdict.wrong]
    acted = sorted((each for each in wrong if each.acted), key=lambda each: -each.severity)
    missed = sorted((each for each in wrong if not each.acted), key=lambda each: each.severity)
    return [*acted[: (count + 1) // 2], *missed[: count // 2]]


def _acted(verdicts: Sequence[Verdict], kind: str) -> float | None:
    return share(verdict.acted for verdict in verdicts if verdict.row.kind == kind)


def _alt_profanity_check() -> Callable[[Sequence[str]], list[bool]]:
    predict = importlib.import_module("profanity_check").predict_prob
    return lambda texts: [bool(probability >= 0.5) for probability in predict(list(texts))]


def _better_profanity() -> Callable[[Sequence[str]], list[bool]]:
    profanity = importlib.import_module("better_profanity").profanity
    profanity.load_censor_words()
    return lambda texts: [bool(profanity.contains_profanity(text)) for text in texts]


PEERS: Mapping[str, Callable[[], Callable[[Sequence[str]], list[bool]]]] = {
    "alt-profanity-check": _alt_profanity_check,
    "better-profanity": _better_profanity,
}


def print_languages(languages: Mapping[str, Figures]) -> None:
    """Print the figures of every language, with the aims in brackets."""
    print(f"| language | {' | '.join(MEASURES)} |\n|{'---|' * (len(MEASURES) + 1)}")
    for language, figures in languages.items():
        aims = {"en": 0, "others": 1}.get(language)
        cells = [_cell(figures[name], "" if aims is None else MEASURES[name][aims]) for name in MEASURES]
        print(f"| {language} | {' | '.join(cells)} |")


def print_figures(title: str, figures: Mapping[str, Figures]) -> None:
    """Print one table of figures, a row each."""
    names = list(next(iter(figures.values())))
    print(f"\n| {title} | {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}")
    for name, each in figures.items():
        print(f"| {name} | {' | '.join(_cell(value) for value in each.values())} |")


def _cell(value: float | None, aim: str = "") -> str:
    return ("–" if value is None else f"{value}") + (f" ({aim})" if aim else "")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tier", default="cascade")
    parser.add_argument("--models", type=Path, metavar="ROOT", help="look for models there first")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="print the N worst mistakes of each language")
    args = parser.parse_args()
    engine = Engine(Channel(key="judgement"), tier=args.tier, models=Models(args.models))
    verdicts = judge(engine, [Row(**row) for row in read_suite("judgement")])
    of: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        of.setdefault(verdict.row.language, []).append(verdict)
    each = {language: measure(its, engine.policies) for language, its in of.items()}
    others = measure_mean([figures for language, figures in each.items() if language != "en"])
    languages = {"en": each["en"], "others": others} | each
    print_languages(languages)
    harms = {
        policy: {
            "English caught %": share(verdict.acted for verdict in of["en"] if verdict.row.policy == policy),
            "others caught %": share(
                verdict.acted for verdict in verdicts if verdict.row.policy == policy and verdict.row.language != "en"
            ),
        }
        for policy in dict.fromkeys(verdict.row.policy for verdict in verdicts if verdict.row.policy)
    }
    print_figures("harm", harms)
    lacking = sorted(set(harms) - set(engine.policies))
    if lacking:
        print(f"\nThe engine has no policy {', '.join(lacking)}: such rows count as caught, never as found by theirs.")
    peers = measure_peers([verdict.row for verdict in of["en"]])
    if peers:
        print_figures("peer, on English", peers)
    found: dict[str, Any] = {"tier": args.tier, "languages": languages, "harms": harms, "peers": peers}
    if INJECTION in engine.policies:
        plain = [verdict.row.text for verdict in of["en"] if verdict.row.kind == "plain"]
        found["injections"] = measure_injections(engine, plain)
        print_figures("prompts", {INJECTION: found["injections"]})
    if args.worst:
        print("\nThe worst mistakes:")
        for its in of.values():
            for verdict in worst(its, args.worst):
                outcome = "acted on" if verdict.acted else "missed"
                given = ",".join(verdict.flags) or verdict.row.policy
                print(f"{verdict.row.id}\t{outcome}\t{verdict.severity:.2f}\t{given}\t{verdict.row.text}")
    if args.json:
        args.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
