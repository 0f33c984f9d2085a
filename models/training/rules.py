"""How a record of a data set becomes a row: rules for labels, and what holds for every set.

A rule reads one record and gives True or False, a share from 0 to 1 (of annotators, or of trust), or None where the
record does not say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from training.rows import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    Record = Mapping[str, Any]
    Rule = Callable[[Record], float | bool | None]

RARE = ("flirtation", "self_harm", "sexual", "spam")
"""Labels that ordinary sets of toxic comments do not annotate. They are assumed to be 0 there unless a word in the text
speaks against it (`DOUBT`), with `ASSUMED` of the row's weight, or `ASSUMED_CLEAN` in texts that are not toxic."""

ASSUMED, ASSUMED_CLEAN = 0.3, 0.9

WRITTEN = 4.0
"""The weight of an example that was written for this model."""

IN_LANGUAGES = 1.5
"""The weight of those in `hate_languages.jsonl`, of which there are many for the languages that they are in."""

HARMS = ("toxicity_severe", "hate", "insult", "threat", "identity_attack", "violence", "harassment")
"""What a text is not if it is not toxic: 0 wherever a set says so of toxicity and not of these."""

DOUBT: Mapping[str, re.Pattern[str]] = {
    "flirtation": re.compile(r"(?i)\b(?:sexy|babe|cutie|gorgeous|beautiful|hottie|date me|kiss|i love you|handsome)\b"),
    "self_harm": re.compile(
        r"(?i)suicid|kill(?:ing)? (?:my|your|him|her|ur)\s?sel[fv]|\bkys\b|\bdie\b|hang yourself|slit|cut(?:ting)? my"
        r"|end (?:my|it all|your) ?life|want to die|hurt myself|overdose|anorexi"
    ),
    "sexual": re.compile(
        r"(?i)\bs(?:ex|uck)|fuck|cock|dick|pussy|cunt|penis|vagina|tits|boob|naked|nude|horny|porn|anal|cum\b|blow ?job"
        r"|rape|\bass\b|whore|slut|masturbat|orgasm|erotic|thot|hoe"
    ),
    "spam": re.compile(
        r"(?i)https?:|www\.|\.com\b|subscribe|free|click|buy|promo|discount|\bwin\b|follow me|check out"
    ),
}


SILVER: Sequence[tuple[re.Pattern[str], Mapping[str, float]]] = (
    (
        re.compile(r"(?i)\bkys\b|\b(?:kill|hang|shoot|drown|cut) (?:yo)?ur ?self\b"),
        {"self_harm": 0.9},
    ),
    (
        re.compile(
            r"(?i)\b(?:i|we)(?:'?ll| will|'?m going to|'?m gonna| am going to|'?m coming to| wanna| want to) "
            r"(?:kill|murder|stab|shoot|beat|rape|hurt|strangle|punch) (?:yo)?u\b"
        ),
        {"threat": 0.9, "violence": 0.9},
    ),
)
"""What a set does not annotate but a phrase leaves little doubt of, in rows that the set calls toxic."""

SWEARING = re.compile(
    r"(?i)\b(?:mother)?fuck\w{0,5}\b|\b(?:bull)?shit\w{0,4}\b|\bbitch(?:es)?\b|\bass ?holes?\b|\bcunts?\b"
    r"|\bdickheads?\b|\bbastards?\b|\bnigg(?:er|a)s?\b|\bfagg?ots?\b|\bwhores?\b|\bsluts?\b|\bwankers?\b|\bstfu\b"
)
"""English words that make a text profane, whatever else it is; where a set does not annotate profanity."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file, or several alike, of the data folder."""

    name: str
    licence: str
    read: Callable[[Path], Iterator[Record]]
    labels: Mapping[str, Rule]
    language: str = "en"
    weight: float = 1.0
    text: str = "text"
    assumed: Sequence[str] = RARE
    weights: Mapping[str, float] = field(default_factory=dict)
    keep: Rule | None = None

    def rows(self, folder: Path) -> Iterator[Row]:
        """The rows that the data folder's files give."""
        for record in self.read(folder):
            if self.keep is None or self.keep(record):
                yield self.row(record)

    def row(self, record: Record) -> Row:
        """One record by this source's rules."""
        text = _clean(record[self.text] or "")
        labels = {label: float(value) for label, rule in self.labels.items() if (value := rule(record)) is not None}
        weights = {label: self.weight * share for label, share in self.weights.items()}
        if labels.get("toxicity", 1.0) < 0.1:
            for label in HARMS:
                labels.setdefault(label, 0.0)
        if labels.get("toxicity", 0.0) > 0.7:
            for phrase, meant in SILVER:
                if phrase.search(text):
                    labels = {**meant, **labels}
        if "profanity" not in labels and SWEARING.search(text):
            labels["profanity"] = 0.95
        trust = ASSUMED_CLEAN if labels.get("toxicity", 1.0) < 0.1 else ASSUMED
        for label in self.assumed:
            doubt = DOUBT.get(label)
            if label not in labels and not (doubt and doubt.search(text)):
                labels[label] = 0.0
                weights[label] = self.weight * trust
        return Row(text, labels, self.name, self.language, self.weight, weights)


def _clean(text: str) -> str:
    """Without what tells a set from the world: HTML entities, link and user placeholders, the mark of a retweet."""
    text = text.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
    text = re.sub(r"&#\d{1,7};", " ", text)
    text = re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), text)
    text = re.sub(r"(?i)\[user\]|@user\b|<user>|@[a-z0-9_]{2,30}", "@user", text)
    text = re.sub(r"(?i)\[url\]|@url\b|<url>|https?://t\.co/\w{0,12}", "", text)
    return re.sub(r"\A!*\s*rt @user:?", "", text.strip(), flags=re.IGNORECASE).strip()


def column(name: str, value: float = 1.0) -> Rule:
    """The column's number times `value`; unknown where it is no number, or -1."""

    def rule(record: Record) -> float | None:
        try:
            number = float(record[name])
        except (KeyError, TypeError, ValueError):
            return None
        return None if number < 0 else min(number, 1.0) * value

    return rule


def equals(name: str, *wanted: str, value: float = 1.0) -> Rule:
    """`value` where the column is one of these, else 0."""
    return lambda record: value if record[name] in wanted else 0.0


def always(value: float) -> Rule:
    """The same for every record."""
    return lambda _: value


def only(rule: Rule, when: Rule) -> Rule:
    """The rule's value where `when` holds, unknown elsewhere."""
    return lambda record: rule(record) if when(record) else None


def votes(*names: str) -> Rule:
    """The most votes of three among these columns: one is doubtful, two nearly certain."""
    return lambda record: (0.0, 0.5, 0.95, 1.0)[max(int(float(record[name] or 0)) for name in names)]


def has(name: str, part: str, value: float = 1.0) -> Rule:
    """`value` where the column holds this part, parts being joined by commas or underscores, else 0."""
    return lambda record: value if part in re.split(r"[,_]\s*", record[name].lower()) else 0.0
