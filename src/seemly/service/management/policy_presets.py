"""Which policies suit which kind of platform."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from seemly.core.channel import PolicySettings

__all__ = ["PLATFORMS", "Platform", "suggest_policies"]


@dataclass(frozen=True, slots=True)
class Platform:
    """A kind of platform, the words that tell of it, and how its policies differ from those of every channel."""

    name: str
    words: frozenset[str]
    policies: tuple[PolicySettings, ...]


def _platform(name: str, words: str, *policies: PolicySettings) -> Platform:
    return Platform(name, frozenset(words.split()), policies)


def _flag(policy: str, threshold: float | None = None) -> PolicySettings:
    return PolicySettings(policy, flag=True, threshold=threshold)


def _only_score(policy: str) -> PolicySettings:
    return PolicySettings(policy, flag=False)


KIDS = _platform(
    "kids", "kid kids child children school schools pupils students teens teenagers minors family families toys",
    _flag("toxicity", 0.35), _flag("profanity", 0.35), _flag("sexual", 0.25), _flag("flirtation", 0.35),
    _flag("violence", 0.35), _flag("self_harm", 0.3), _flag("personal_information"), _flag("url"),
)  # fmt: skip
"""Also the suggestion for every platform that minors use."""

PLATFORMS: tuple[Platform, ...] = (
    # Sellers and buyers are kept on the platform, and from fraud; "kill" is often said of prices.
    _platform(
        "marketplace",
        "marketplace marketplaces market shop shops shopping ecommerce classifieds auction auctions listings "
        "sellers buyers products rentals",
        _flag("spam", 0.4), _flag("url"), _flag("personal_information"), _flag("violence", 0.6),
    ),
    # To kill, shoot and blow up is what a game is about, and rough words are part of the fun.
    _platform(
        "game",
        "game games gaming gamer gamers esports mmo rpg guild guilds multiplayer",
        _flag("violence", 0.75), _only_score("profanity"), _flag("url"),
    ),
    # Flirting is what people come for; addresses and telephone numbers are how they are lured away.
    _platform(
        "dating",
        "dating singles matchmaking romance",
        _only_score("flirtation"), _flag("sexual", 0.6), _flag("spam", 0.4), _flag("url"),
        _flag("personal_information"),
    ),
    KIDS,
    # Bodies and despair are talked of plainly, and whoever is in danger should be seen early.
    _platform(
        "health",
        "health healthcare medical medicine patients patient doctors clinic therapy wellness fitness",
        _flag("self_harm", 0.3), _flag("sexual", 0.65), _flag("personal_information"),
    ),
    # What happens in the world is violent, and reports of it are not threats.
    _platform(
        "news",
        "news newspaper journalism journalists politics political articles magazine blog blogs",
        _flag("violence", 0.7), _flag("hate", 0.35), _flag("spam", 0.4),
    ),
    # Quick talk among people who know one another swears and shares links without harm.
    _platform(
        "chat",
        "chat chats chatting messenger messaging messages dm community communities forum forums social",
        _only_score("profanity"), _flag("toxicity_severe", 0.35),
    ),
)  # fmt: skip
"""The table. Policies and thresholds (probabilities, 0 to 1) that it does not name keep their defaults."""


def suggest_policies(
    domain: str | None = None, context: str | None = None, brief: str | None = None, *, used_by_minors: bool = False
) -> tuple[PolicySettings, ...]:
    """How the policies of a platform that is described so should differ from the defaults, in the order of their ids.

    The texts are searched for the words of `PLATFORMS`. Of several kinds that fit, each policy has the strictest
    suggestion; `used_by_minors` counts as the kind `kids`.
    """
    said = {word for text in (domain, context, brief) for word in re.findall(r"[^\W_]+", (text or "").casefold())}
    fitting = [each.policies for each in PLATFORMS if each.words & said or (used_by_minors and each is KIDS)]
    ids = sorted({each.id for policies in fitting for each in policies})
    return tuple(_strictest(each for policies in fitting for each in policies if each.id == name) for name in ids)


def _strictest(suggested: Iterable[PolicySettings]) -> PolicySettings:
    """To flag is stricter than not to; among those that flag, the least threshold, of which the default counts as
    half."""
    return min(suggested, key=lambda each: (not each.flag, 0.5 if each.threshold is None else each.threshold))
