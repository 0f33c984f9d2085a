"""The label table of the second gathering: more languages, ordinary text, prompts, feelings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from training import readers
from training.calm import CALM, calmed, zeros
from training.codes import code
from training.oaths import swears
from training.reading import read_lines, read_table
from training.rows import Row
from training.rules import Source, column, equals

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_TSV = {"delimiter": "\t"}
_GLAD = frozenset(
    ("admiration", "amusement", "approval", "caring", "excitement", "gratitude", "joy", "love", "optimism", "pride",
     "relief")
)  # fmt: skip
_SAD = frozenset(
    ("anger", "annoyance", "disappointment", "disapproval", "disgust", "embarrassment", "fear", "grief", "nervousness",
     "remorse", "sadness")
)  # fmt: skip
_ASKED = ("Toxicity Agreement", "Risk Ignorance", "Offending User")


def _file(name: str) -> object:
    return readers.table(name, **_TSV)


def _levels(**values: float) -> object:
    return lambda r: values.get(r["label"])


SECOND: tuple[Source, ...] = (
    Source(
        "gahd", "CC BY 4.0", _file("gahd/gahd.tsv"),
        {"hate": column("label"), "identity_attack": column("label"), "toxicity": column("label", 0.9)},
        language="de",
    ),
    Source(
        "poleval", "BSD-3-Clause (upstream)", _file("poleval2019_pl/tweets.tsv"),
        {
            "toxicity": column("harmful", 0.95),
            "harassment": lambda r: 0.9 if r["class3"] == "1" else 0.0 if r["class3"] == "0" else None,
            "hate": lambda r: float(r["class3"] == "2"),
        },
        language="pl",
    ),
    Source(
        "ro_offense", "Apache-2.0",
        readers.table("ro_offense/ro_offense.tsv", "ro_fb_offense/ro_fb_offense.tsv", **_TSV),
        {
            "toxicity": _levels(OTHER=0.0, PROFANITY=0.8, INSULT=1.0, ABUSE=1.0),
            "profanity": _levels(OTHER=0.0, PROFANITY=1.0),
            "insult": _levels(OTHER=0.0, INSULT=1.0),
            "hate": _levels(OTHER=0.0, PROFANITY=0.0, ABUSE=0.7),
        },
        language="ro", weight=0.7,
    ),
    Source(
        "swsr", "MIT", _file("swsr_zh/swsr_comments.tsv"),
        {"hate": column("sexist", 0.9), "identity_attack": column("sexist", 0.9), "toxicity": column("sexist", 0.8)},
        language="zh", weight=0.6,
    ),
    Source(
        "apeach", "CC BY-SA 4.0", _file("apeach_ko/apeach.tsv"),
        {"hate": equals("class", "Spoiled"), "toxicity": equals("class", "Spoiled"),
         "identity_attack": equals("class", "Spoiled")},
        language="ko",
    ),
    Source(
        "japanese_toxic", "Apache-2.0", _file("japanese_toxic/subset.tsv"),
        {"toxicity": lambda r: (float(r["Toxic"]) + float(r["Very Toxic"])) / max(1.0, float(r["annotation_num"]))},
        language="ja",
    ),
    Source(
        "safesense", "MIT; data CC BY-SA 4.0", _file("safesense_vi/final.tsv"),
        {"toxicity": _levels(**{"0": 0.0, "1": 0.9, "2": 0.95}), "hate": _levels(**{"0": 0.0, "2": 0.8})},
        language="vi", weight=0.5,
    ),
    Source(
        "tupi", "CC BY 4.0 (upstream)", _file("tupi_pt/tupi.tsv"),
        {"toxicity": lambda r: max(float(r["aggressive"]), float(r["hate"])), "hate": column("hate"),
         "identity_attack": column("hate")},
        language="pt",
    ),
    Source(
        "gab", "CC BY 4.0 (upstream)", _file("gab_hate_corpus/ghc.tsv"),
        {
            "hate": lambda r: max(float(r["hd"]), float(r["cv"])),
            "identity_attack": column("hd"),
            "violence": column("cv", 0.9),
            "toxicity": lambda r: 0.95 if r["hd"] == "1" or r["cv"] == "1" or r["vo"] == "1" else None,
        },
        weight=0.5,
    ),
    Source(
        "convabuse", "CC BY 4.0", _file("convabuse/convabuse.tsv"),
        {
            "toxicity": lambda r: _abuse(r, 0.9),
            "harassment": lambda r: _abuse(r, 0.8),
            "insult": lambda r: 0.0 if _abuse(r, 1.0) == 0.0 else None,
        },
        text="user", weight=0.7,
    ),
    Source(
        "goemotions", "Apache-2.0 (Google: CC BY 4.0)", _file("goemotions/reddit.tsv"),
        {
            "positive": lambda r: _feels(r["emotions"], _GLAD, _SAD),
            "negative": lambda r: _feels(r["emotions"], _SAD, _GLAD),
        },
        assumed=(), weight=0.6,
    ),
    Source(
        "aart", "CC BY 4.0", _file("aart/aart.tsv"),
        {
            "illicit": lambda r: 0.9 if r["crime"] not in ("hate", "misinformation") else None,
            "illicit_drugs": lambda r: 0.9 if "drug" in r["crime"] else None,
            "prompt_injection": lambda _: 0.0,
        },
        text="prompt", assumed=("flirtation", "spam", "self_harm_intent"), weight=0.3,
    ),
    Source(
        "diasafety", "Apache-2.0", _file("diasafety/diasafety.tsv"),
        {"spam": lambda _: 0.0, "prompt_injection": lambda _: 0.0, "grooming": lambda _: 0.0},
        text="context", assumed=(), weight=0.3, keep=lambda r: r["category"] in _ASKED,
    ),
)  # fmt: skip
"""Sets that say something of harm or of feeling."""


def _abuse(r: object, value: float) -> float | None:
    mean = float(r["mean_abuse_1_to_minus3"])  # type: ignore[index]
    return value if mean <= -1 else 0.0 if mean >= 0.9 else None


def _feels(told: str, these: frozenset[str], others: frozenset[str]) -> float | None:
    named = set(told.split(","))
    if named & these and not named & others:
        return 1.0
    return None if named & these or named <= {"confusion", "curiosity", "desire", "realization", "surprise"} else 0.0


_ENGLISH_HELD = ("marketplace_phone", "marketplace_housing", "banking_customer_question")
"""Kinds of `ordinary_english` that nothing is trained on: `benchmarks.ordinary` measures on them."""

_TALK = ("irc_help_chat", "tweet_or_forum_unlabelled")


def ordinary(data: Path) -> Iterator[Row]:
    """Rows in which nobody offends, in every language: 0 for all labels that act, but where an oath speaks against."""
    train, lexicons = data / "train", data / "lexicons"
    for path in sorted((train / "ud_ordinary").glob("*.txt.gz")):
        language = code(path.name.split(".")[0])
        for r in read_lines(path):
            yield from _ordinary(r["text"], "ud_ordinary", language, lexicons)
    for r in read_lines(train / "ua_gec/sentences.txt"):
        yield from _ordinary(r["text"], "ua_gec", "uk", lexicons)
    for r in read_table(train / "xpersona/chat.tsv", **_TSV):
        yield from _ordinary(r["text"], "xpersona", code(r["lang"]), lexicons)
    for r in read_table(train / "ordinary_english/english.tsv", **_TSV):
        if r["kind"] not in _ENGLISH_HELD:
            source = (
                "ordinary_talk" if r["kind"] in _TALK or r["kind"].startswith("counselling") else "ordinary_english"
            )
            yield from _ordinary(r["text"], source, "en", lexicons)
    for r in read_table(train / "ordinary_prompts/prompts.tsv", **_TSV):
        if r["kind"] in ("role_prompt", "instruction", "system_prompt_of_a_GPT", "roleplay_prompt"):
            row = Row(r["text"][:1500], {"prompt_injection": 0.0, "spam": 0.0, "grooming": 0.0}, "ordinary_prompts",
                      "zh" if r["lang"] == "zh" else "en" if r["lang"] == "en" else "many", 1.0)  # fmt: skip
            yield row
    for r in read_table(train / "afrisenti/tweets.tsv", **_TSV):
        labels = {"positive": float(r["sentiment"] == "positive"), "negative": float(r["sentiment"] == "negative")}
        if r["sentiment"] != "negative":
            labels |= {"harassment": 0.0, "grooming": 0.0, "hate": 0.0, "toxicity": 0.0, "violence": 0.0}
        language = {"por": "pt", "amh": "am", "arq": "ar", "ary": "ar"}.get(r["lang"], "many")
        yield Row(r["text"], labels, "afrisenti", language, 0.4)
    for r in read_table(train / "dravidian_codemix/kn_ml.tsv", **_TSV):
        if r["label"] == "Not_offensive":
            yield Row(r["text"], {"toxicity": 0.0, "hate": 0.0, "harassment": 0.0}, "dravidian", r["lang"], 0.4)
    for r in read_table(train / "roman_urdu_hate/rueh.tsv", **_TSV):
        toxic = r["label"] != "1"
        labels = {"toxicity": 0.9 * toxic, "hate": 0.8 * (r["label"] in "23"), "profanity": float(r["label"] == "4")}
        yield Row(r["text"], labels, "roman_urdu", "ur", 0.4)
    for r in read_table(train / "multijail/multijail.tsv", **_TSV):
        row = Row(r["text"], {"spam": 0.0, "prompt_injection": 0.0, "grooming": 0.0}, "multijail", code(r["lang"]), 0.3)
        yield row


_SPOKEN = re.compile(r"\w")


def _ordinary(text: str, source: str, language: str, lexicons: Path) -> Iterator[Row]:
    text = text.strip()[:1500]
    if not _SPOKEN.search(text):
        return
    english = text if language == "en" else ""
    labels = zeros(english) if english else dict.fromkeys(CALM, 0.0)
    if swears(text, language, lexicons):
        for label in ("profanity", "toxicity", "toxicity_severe", "insult", "sexual", "hate", "identity_attack"):
            labels.pop(label, None)
    if source == "ordinary_talk":
        labels = {label: value for label, value in labels.items() if label not in ("toxicity", "profanity", "insult")}
    yield Row(text, labels, source, language, 1.0)


INJECTION_HELD = ("SkanderMulder/graniteR", "Giskard-AI/prompt-injections")
"""Sources of injections that the figures are measured on, and nothing is trained on."""


def injections(data: Path, *, held: bool = False) -> Iterator[Row]:
    """Texts that try to override a model's instructions, and such that do not though they sound alike."""
    for r in read_table(data / "train/prompt_injection/injection.tsv", **_TSV):
        if (r["source"] in INJECTION_HELD) == held:
            value = float(r["injection"])
            language = code(r["lang"]) if len(code(r["lang"])) == 2 else "many"
            labels = {
                "prompt_injection": value,
                "spam": 0.0,
                "grooming": 0.0,
                "flirtation": 0.0,
                "self_harm_intent": 0.0,
            }
            yield Row(r["text"][:1500], labels, "prompt_injection", language, 1.0)


def more(data: Path) -> Iterator[Row]:
    """Every row of the second gathering but for pairs."""
    for source in SECOND:
        for row in source.rows(data):
            yield calmed(row)
    yield from injections(data)
    yield from ordinary(data)
