"""What a calm text is not: labels that are 0 in ordinary rows, unless an English word in the text speaks against it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from training.rows import FIRST, LABELS, TOPICS, Row
from training.rules import DOUBT, SWEARING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_DRUGS = r"drug|cocaine|heroin|meth\b|opium|opioid|pill|dealer|ecstasy|mdma|lsd|ketamine|fentanyl|xanax|steroid"
_ILLICIT = (
    r"steal|stole|rob\b|robb|counterfeit|fake|forge|hack|crack|smuggl|illegal|crime|criminal|launder|fraud|scam|stolen"
    r"|bomb|explosi|poison|weapon|kidnap|traffick|brib|pirat|cheat|blackmail|hitman|murder"
)

CALM_DOUBT: Mapping[str, re.Pattern[str]] = {
    **DOUBT,
    "toxicity": SWEARING,
    "toxicity_severe": SWEARING,
    "profanity": re.compile(
        SWEARING.pattern + r"|(?i:\b(?:damn|hell|crap|piss|ass|arse|bloody|screw|dick|balls)\w{0,4}\b)"
    ),
    "insult": re.compile(r"(?i)\b(?:stupid|idiot|fool|dumb|moron|liar|loser|ugly|fat|pathetic|coward|pig|jerk|shame)"),
    "threat": re.compile(r"(?i)\b(?:kill|die|dead|hurt|shoot|murder|burn|hang|beat|destroy|revenge|pay for)"),
    "violence": re.compile(r"(?i)\b(?:kill|shoot|murder|stab|hang|beat|rape|massacre|execute|bomb|slaughter)"),
    "harassment": re.compile(
        r"(?i)\b(?:stupid|idiot|ugly|hate you|nobody likes|pathetic|your address|go away|shut up)"
    ),
    "illicit": re.compile(rf"(?i)\b(?:{_ILLICIT}|{_DRUGS}|gun|rifle|ammo|weed|marijuana)"),
    "illicit_drugs": re.compile(rf"(?i)\b(?:{_DRUGS}|weed|marijuana)"),
    "illicit_firearms": re.compile(r"(?i)\b(?:gun|rifle|pistol|ammo|ammunition|weapon|firearm|glock|bullet|grenade)"),
    "illicit_gambling": re.compile(
        r"(?i)\b(?:bet|bets|betting|casino|poker|gambl|slots?|jackpot|lottery|odds|roulette)"
    ),
    "illicit_alcohol": re.compile(
        r"(?i)\b(?:beer|wine|vodka|whisk|alcohol|liquor|drunk|booze|gin|rum|champagne|drink)"
    ),
    "illicit_tobacco": re.compile(r"(?i)\b(?:smok|cigar|tobacco|vap|snus|nicotine)"),
    "cannabis": re.compile(r"(?i)\b(?:cannabis|weed|marijuana|hash|thc|cbd|joint|stoned|kush|edible)"),
    "adult": re.compile(r"(?i)\b(?:escort|porn|onlyfans|nude|webcam|strip|sex|erotic|brothel|prostitut|massage)"),
    "crypto": re.compile(
        r"(?i)\b(?:crypto|bitcoin|btc|eth\b|ethereum|token|coin|invest|nft|blockchain|wallet|trading)"
    ),
    "self_promotion": re.compile(
        r"(?i)\b(?:my (?:channel|blog|shop|store|page|book|website|music|video)|subscribe|follow)"
    ),
    "prompt_injection": re.compile(
        r"(?i)\b(?:ignore|disregard|forget|instruction|prompt|system|pretend|role|act as|jailbreak|developer)"
    ),
    "self_harm_intent": DOUBT["self_harm"],
    "grooming": re.compile(
        r"(?i)\b(?:how old|your age|are you alone|secret|don'?t tell|parents|home alone|webcam|meet me)"
    ),
}
"""By label, what speaks against its being 0."""

CALM = tuple(label for label in LABELS if label not in TOPICS)
"""Labels that are 0 in a calm text."""

_ANYWHERE = ("harassment", "grooming", "adult", "prompt_injection")
"""Labels that are 0 in a calm text of another language, whose words are not searched."""

_SILENT = 0.5
"""The weight, as a share of the row's, of a label that is 0 because the text is calm by the others."""


def zeros(text: str, labels: Iterable[str] = CALM) -> dict[str, float]:
    """The labels that are 0 in an ordinary text with this English wording."""
    found = {}
    for label in labels:
        doubt = CALM_DOUBT.get(label)
        if doubt is None or not doubt.search(text):
            found[label] = 0.0
    return found


def calmed(row: Row) -> Row:
    """The row; where it is known to be calm by the labels that it has, with those that it lacks as 0."""
    known = [row.labels[label] for label in FIRST if label in row.labels]
    if len(known) < 4 or max(known) > 0.15 or row.labels.get("toxicity", 1.0) > 0.15:
        return row
    harms = [value for label, value in row.labels.items() if label not in TOPICS]
    if max(harms) > 0.15:
        return row
    new = {label: 0.0 for label in zeros(row.text) if label not in row.labels}
    if row.language not in ("en", "many", "none"):
        new = {
            label: 0.0 for label in ("harassment", "grooming", "adult", "prompt_injection") if label not in row.labels
        }
    weights = {**row.weights, **dict.fromkeys(new, row.weight * _SILENT)}
    return Row(row.text, {**row.labels, **new}, row.source, row.language, row.weight, weights)
