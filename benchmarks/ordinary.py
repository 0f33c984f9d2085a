"""False alarms on ordinary text, by language and policy:
`python -m benchmarks.ordinary DATA [--models ROOT] [--tier TIER] [--sources NAME …] [--most N] [--worst N]`.

DATA is the folder of labelled data. What is read there was kept from training and calibration: news in 86 languages
(`ntrex`), English marketplace and bank messages (`held`), and of `evaluate/` the sentences of 75 languages (`lingua`)
and treebanks (`treebanks`). A text counts as acted on where a classifier policy that flags by default has flagged it.
The texts with the largest probabilities are printed, to be read: some are no false alarms.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from seemly import Channel, Engine
from seemly.engine.models import Models

MODELS = Path(__file__).parent.parent / "models"
POLICIES = (
    "toxicity", "toxicity_severe", "hate", "profanity", "violence", "sexual", "self_harm", "spam", "harassment",
    "grooming",
)  # fmt: skip
MAIN = (
    "de", "fr", "es", "it", "nl", "pl", "pt", "tr", "ru", "uk", "ar", "fa", "hi", "bn", "zh", "ja", "ko", "vi", "id",
    "sv", "da", "no", "fi", "cs", "hu", "ro", "el", "he", "th", "bg",
)  # fmt: skip
"""The languages that the accurate model is taught, beside English."""

_HELD = ("marketplace_phone", "marketplace_housing", "banking_customer_question")
_NAMES = (
    "deu:de fra:fr spa:es ita:it nld:nl pol:pl por:pt tur:tr rus:ru ukr:uk arb:ar fas:fa hin:hi ben:bn zho-CN:zh "
    "jpn:ja kor:ko vie:vi ind:id swe:sv dan:da nob:no fin:fi ces:cs hun:hu ron:ro ell:el heb:he tha:th bul:bg"
)
_CODES = dict(re.findall(r"(\S+):(\S+)", _NAMES))

Found = dict[str, list[str]]


def _lines(path: Path) -> list[str]:
    raw = path.read_bytes()
    return (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8").splitlines()


def _table(path: Path) -> Iterator[list[str]]:
    yield from csv.reader(_lines(path), delimiter="\t")


def ntrex(data: Path) -> Found:
    """News, and its English original."""
    found: Found = defaultdict(list)
    english: dict[str, None] = {}
    for path in sorted((data / "train/ntrex_news").glob("*.tsv.gz")):
        name = path.name.split(".")[0]
        for row in _table(path):
            if len(row) == 2:
                english[row[0]] = None
                found[_CODES.get(name, name)].append(row[1])
    return {"en": list(english), **found}


def held(data: Path) -> Found:
    """English messages of kinds that were kept from training."""
    rows = list(_table(data / "train/ordinary_english/english.tsv.gz"))
    kind, text = rows[0].index("kind"), rows[0].index("text")
    return {"en": [row[text] for row in rows[1:] if row[kind] in _HELD]}


def lingua(data: Path) -> Found:
    """Sentences of 75 languages."""
    files = sorted((data / "evaluate/lingua_testdata").glob("*sentences_*.txt*"))
    names = [path.name.split("sentences_")[1].split(".")[0] for path in files]
    lines = [[line for line in _lines(path) if line] for path in files]
    return {"no" if name == "nb" else name: found for name, found in zip(names, lines, strict=True)}


def treebanks(data: Path) -> Found:
    """Sentences of treebanks whose licences forbid training."""
    files = sorted((data / "evaluate/ud_ordinary").glob("*.txt.gz"))
    return {path.name.split(".")[0]: [line for line in _lines(path) if line] for path in files}


SOURCES = {"ntrex": ntrex, "held": held, "lingua": lingua, "treebanks": treebanks}


def measure(engine: Engine, texts: Mapping[str, list[str]]) -> dict[str, dict[str, Any]]:
    """By language, how many texts there are, how many are acted on, by which policies, and which most of all."""
    found = {}
    for language, rows in texts.items():
        policies: Counter[str] = Counter()
        worst = []
        for text, result in zip(rows, engine.moderate_many(rows, on_error="return"), strict=True):
            flags = {
                policy.id: policy.probability
                for policy in getattr(result, "policies", ())
                if policy.id in POLICIES and policy.flagged and policy.type == "classifier"
            }
            policies.update(flags)
            if flags:
                worst.append((round(max(flags.values()), 3), max(flags, key=flags.__getitem__), text))
        found[language] = {
            "texts": len(rows), "acted on": len(worst), "share": round(100 * len(worst) / max(len(rows), 1), 2),
            "policies": dict(policies.most_common()), "worst": sorted(worst, reverse=True),
        }  # fmt: skip
    return found


def _show(name: str, found: Mapping[str, Mapping[str, Any]], worst: int) -> None:
    print(f"\n{name}: share of ordinary texts acted on, in per cent")
    for language in sorted(found, key=lambda each: -found[each]["share"]):
        of = found[language]
        print(f"  {language:10} {of['share']:6.2f}  of {of['texts']:5}  {of['policies'] or ''}")
        for probability, policy, text in of["worst"][:worst]:
            print(f"             {probability:.2f} {policy}: {text[:140]}")
    for group, members in (("English", ["en"]), ("30 main languages", MAIN), ("others", set(found) - {"en", *MAIN})):
        shares = [found[each]["share"] for each in members if each in found]
        if shares:
            print(f"{name}, {group}: mean {sum(shares) / len(shares):.2f} %, worst {max(shares):.2f} %")


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ordinary", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--models", type=Path, default=MODELS)
    parser.add_argument("--tier", default="cascade")
    parser.add_argument("--sources", nargs="+", choices=SOURCES, default=list(SOURCES))
    parser.add_argument("--most", type=int, help="texts a language")
    parser.add_argument("--worst", type=int, default=3, help="texts a language to print")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(argv)
    engine = Engine(Channel(key="ordinary"), tier=args.tier, models=Models(args.models))
    figures = {}
    for name in args.sources:
        texts = {language: rows[: args.most] for language, rows in SOURCES[name](args.data).items() if rows}
        figures[name] = measure(engine, texts)
        _show(name, figures[name], args.worst)
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
