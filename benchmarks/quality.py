"""How good the scores are: `python -m benchmarks.quality [--data FOLDER] [--tier TIER …] [--json FILE] [-v]`.

The suites beside this file (`suites/`) were written for measuring: nothing in them was trained on, nor were their
authors shown what was. They stand in for public test sets that the models must not meet. With `--data`, the labelled
data of the model cards, the rows that were held apart from training are scored too; that takes some minutes and needs
`pip install "seemly[train]"` (of which openpyxl and scikit-learn are used).

Texts are scored as the engine scores them, and count as flagged from the tier's own thresholds on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seemly.core.channel import Channel
from seemly.engine.models import Models
from seemly.engine.plan import Plan, compile_plan
from seemly.evaluation.metrics import Ranking
from seemly.inference.cascade import CascadeScorer
from seemly.policies.builtin import BUILTIN
from seemly.text.normalize import normalize

SUITES = Path(__file__).parent / "suites"
LANGUAGES = ("en", "de", "es", "fr", "it", "pt")
"""The languages of the rows on which the tiers are compared on traffic."""

HARMS = {"sexual": "sexual", "hate": "hate", "violence": "violence", "self_harm": "self_harm", "harassment": "toxicity"}
MODELS = Path(__file__).parent.parent / "models"

Rows = Sequence[Mapping[str, Any]]
Scores = Sequence[Mapping[str, float]]
Figure = tuple[str, str, float | str, str]
"""Set, measure, figure, aim."""


def read_suite(name: str) -> list[dict[str, Any]]:
    """The rows of one suite."""
    lines = (SUITES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def score(plan: Plan, texts: Sequence[str]) -> list[dict[str, float]]:
    """The plan's probabilities for texts."""
    found: list[dict[str, float]] = []
    for at in range(0, len(texts), 128):
        found += plan.score([normalize(text) for text in texts[at : at + 128]])
    return found


def share(hits: Iterable[bool]) -> float:
    """The share of hits, in per cent."""
    counted = list(hits)
    return round(100 * sum(counted) / max(len(counted), 1), 1)


def precision(scores: NDArray[np.float64], gold: NDArray[np.bool_]) -> float:
    """Average precision."""
    return Ranking.of(scores, gold).average_precision()


def measure_functions(rows: Rows, scores: Scores, limits: Mapping[str, float]) -> list[Figure]:
    """The functional suite: hate and its look-alikes, as HateCheck has them, and the other harms' functions."""
    right: dict[str, list[bool]] = defaultdict(list)
    for row, found in zip(rows, scores, strict=True):
        for label, gold in row["gold"].items():
            hit = (found[label] >= limits[label]) == bool(gold)
            if row["function"].startswith(("hate_", "nh_")):
                if label == "hate":
                    right["hateful" if gold else "not hateful"].append(hit)
            else:
                right["other harms, found" if gold else "other harms, left alone"].append(hit)
    hate = right["hateful"] + right["not hateful"]
    return [
        ("functions", "hate, overall %", share(hate), "≥ 85"),
        ("functions", "hateful found %", share(right["hateful"]), "≥ 80"),
        ("functions", "not hateful left alone %", share(right["not hateful"]), "≥ 80"),
        ("functions", "other harms found %", share(right["other harms, found"]), ""),
        ("functions", "their look-alikes left alone %", share(right["other harms, left alone"]), ""),
    ]


def measure_prompts(rows: Rows, scores: Scores, limits: Mapping[str, float]) -> list[Figure]:
    """Harmless questions to an assistant, as in XSTest."""
    flagged = (
        any(found[label] >= limits[label] for label in row["gold"]) for row, found in zip(rows, scores, strict=True)
    )
    return [("prompts", "harmless questions flagged %", share(flagged), "≤ 5")]


def measure_emoji(rows: Rows, scores: Scores, limits: Mapping[str, float]) -> list[Figure]:
    """Hate with emoji and its look-alikes, as in HatemojiCheck."""
    hits = [
        (found["hate"] >= limits["hate"]) == bool(row["gold"]["hate"]) for row, found in zip(rows, scores, strict=True)
    ]
    kinds = {gold: [hit for row, hit in zip(rows, hits, strict=True) if row["gold"]["hate"] == gold] for gold in (1, 0)}
    return [
        ("emoji", "overall %", share(hits), "≥ 80"),
        ("emoji", "hateful found %", share(kinds[1]), ""),
        ("emoji", "not hateful left alone %", share(kinds[0]), ""),
    ]


def measure_harms(rows: Rows, scores: Scores, limits: Mapping[str, float]) -> list[Figure]:
    """Longer texts with five harms, as in the OpenAI moderation set: average precision."""
    gold = np.array([[row["gold"][label] for label in HARMS.values()] for row in rows], bool)
    given = np.array([[found[label] for label in HARMS.values()] for found in scores])
    odds = given / np.array([limits[label] for label in HARMS.values()])
    figures: list[Figure] = [
        ("harms", "any, average precision", round(precision(odds.max(axis=1), gold.any(axis=1)), 3), "> .856")
    ]
    for place, name in enumerate(HARMS):
        figures.append(
            ("harms", f"{name}, average precision", round(precision(given[:, place], gold[:, place]), 3), "")
        )
    return figures


def measure_languages(rows: Rows, scores: Scores, limits: Mapping[str, float]) -> list[Figure]:
    """Hate and its look-alikes in ten languages, as in Multilingual HateCheck."""
    of: dict[str, dict[int, list[bool]]] = defaultdict(lambda: {1: [], 0: []})
    for row, found in zip(rows, scores, strict=True):
        gold = row["gold"]["hate"]
        of[row["language"]][gold].append((found["hate"] >= limits["hate"]) == bool(gold))
    aims = dict.fromkeys(("de", "pt", "fr", "es", "it"), "≥ 70")
    return [
        (
            f"languages, {language}",
            "overall; hateful, not hateful %",
            f"{share(hits[1] + hits[0])}; {share(hits[1])}, {share(hits[0])}",
            aims.get(language, "both > 50"),
        )
        for language, hits in sorted(of.items())
    ]


def measure_identity(rows: Rows, scores: Scores, limits: Mapping[str, float]) -> list[Figure]:
    """The same sentences about different people: how far a group's area under the ROC curve is from that of all."""
    gold = np.array([row["gold"]["toxicity"] for row in rows], bool)
    given = np.array([found["toxicity"] for found in scores])
    terms = np.array([row["term"] for row in rows])
    whole = Ranking.of(given, gold).auc()
    areas = {term: Ranking.of(given[terms == term], gold[terms == term]).auc() for term in sorted(set(terms.tolist()))}
    gaps = {term: abs(area - whole) for term, area in areas.items()}
    clean = {term: share((given[(terms == term) & ~gold] >= limits["toxicity"]).tolist()) for term in gaps}
    worst = max(gaps, key=gaps.__getitem__)
    return [
        ("identity", "area under the curve, all terms", round(whole, 4), ""),
        ("identity", f"largest gap of a term ({worst})", round(gaps[worst], 4), "≤ .02"),
        ("identity", "clean sentences flagged, worst term %", max(clean.values()), ""),
    ]


SUITE_MEASURES: Mapping[str, Callable[[Rows, Scores, Mapping[str, float]], list[Figure]]] = {
    "functions": measure_functions,
    "prompts": measure_prompts,
    "emoji": measure_emoji,
    "harms": measure_harms,
    "languages": measure_languages,
    "identity": measure_identity,
}


def measure_suites(plan: Plan, limits: Mapping[str, float], *, verbose: bool) -> list[Figure]:
    """The figures of every suite."""
    figures: list[Figure] = []
    for name, measure in SUITE_MEASURES.items():
        rows = read_suite(name)
        scores = score(plan, [row["text"] for row in rows])
        figures += measure(rows, scores, limits)
        if verbose:
            show_misses(name, rows, scores, limits)
    return figures


def show_misses(name: str, rows: Rows, scores: Scores, limits: Mapping[str, float]) -> None:
    """Print the rows that come out wrong, by function."""
    for row, found in zip(rows, scores, strict=True):
        for label, gold in row["gold"].items():
            if (found[label] >= limits[label]) != bool(gold):
                print(f"{name}\t{row['function']}\t{label} {gold}\t{found[label]:.2f}\t{row['text']}")


def read_held(data: Path) -> Any:
    """The test rows of the labelled data, as training held them apart."""
    sys.path.insert(0, str(MODELS))
    from training.dataset import gather, read
    from training.rows import split_of

    rows = [read(row) for row in gather(data, MODELS / "training" / "written", SUITES)]
    return [row for row in rows if split_of(row.text) == "test"]


def measure_held(plan: Plan, rows: Any, limits: Mapping[str, float]) -> list[Figure]:
    """The figures of the rows that were held apart."""
    from training import measure
    from training.accurate.bands import traffic
    from training.dataset import arrays
    from training.rows import LABELS

    scores = np.array([[found[label] for label in LABELS] for found in score(plan, [row.text for row in rows])])
    labels, weights = arrays(rows)
    sources = [row.source for row in rows]
    figures: list[Figure] = [
        ("held apart, jigsaw", f"area under the curve, {name}", value, "≥ .986" if name == "mean" else "")
        for name, value in measure.jigsaw(scores, labels, sources).items()
    ]
    report = measure.report(scores, labels, weights, {}, dict(limits))
    for label, found in report["labels"].items():
        figures.append(("held apart, all languages", f"{label}: area under the curve", found.get("auc", ""), ""))
        figures.append(("held apart, all languages", f"{label}: calibration error", found["ece"], "≤ .02"))
    comments = np.array([source in ("ai_automod", "written_comments") for source in sources])
    sure = comments & ((labels[:, 0] <= 0.25) | (labels[:, 0] >= 0.75))
    right = (scores[sure, 0] >= limits["toxicity"]) == (labels[sure, 0] >= 0.5)
    figures.append(("held apart, comments", "toxicity, accuracy %", share(right.tolist()), "≥ 92"))
    mix = traffic(rows)
    compared = np.array([row.language in LANGUAGES for row in rows])
    for place, label in enumerate(LABELS):
        chosen = (mix > 0) & compared & ((labels[:, place] <= 0.25) | (labels[:, place] >= 0.75))
        area = Ranking.of(scores[chosen, place], labels[chosen, place] >= 0.5).auc(mix[chosen])
        figures.append(("traffic", f"{label}: area under the curve", round(area, 4), "within .003 of accurate"))
    if isinstance(plan.scorer, CascadeScorer):
        weighed = [(row.text, weight) for row, weight in zip(rows, mix.tolist(), strict=True) if weight > 0]
        read = plan.find_read([normalize(text) for text, _ in weighed])
        part = sum(weight for (_, weight), its in zip(weighed, read, strict=True) if its)
        figures.append(("traffic", "texts that the accurate model reads %", round(100 * part / mix.sum(), 1), "≤ 20"))
    return figures


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder of labelled data")
    parser.add_argument("--tier", nargs="+", default=["fast", "cascade", "accurate"])
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    parser.add_argument("-v", "--verbose", action="store_true", help="print the rows of the suites that come out wrong")
    args = parser.parse_args()
    models = Models()
    rows = read_held(args.data) if args.data else []
    found: dict[str, list[Figure]] = {}
    for tier in args.tier:
        plan = compile_plan(Channel(), BUILTIN, models, tier)
        limits = models.default_thresholds(tier)
        found[tier] = measure_suites(plan, limits, verbose=args.verbose)
        if rows:
            found[tier] += measure_held(plan, rows, limits)
    print(f"| set | measure | {' | '.join(args.tier)} | aim |\n|{'---|' * (len(args.tier) + 3)}")
    for figures in zip(*(align(found, tier) for tier in args.tier), strict=True):
        name, measure, _, aim = figures[0]
        print(f"| {name} | {measure} | {' | '.join(str(figure[2]) for figure in figures)} | {aim} |")
    if args.json:
        args.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def align(found: Mapping[str, list[Figure]], tier: str) -> list[Figure]:
    """A tier's figures, with an empty one where only other tiers have that measure."""
    every = {_key(figure): figure[3] for figures in found.values() for figure in figures}
    own = {_key(figure): figure[2] for figure in found[tier]}
    return [(*key, own.get(key, ""), aim) for key, aim in every.items()]


def _key(figure: Figure) -> tuple[str, str]:
    return figure[0], figure[1].split(" (")[0]


if __name__ == "__main__":
    main()
