"""Accounts elsewhere, told with their platform: `my insta is foo`, `telegram @foo`.

A bare @mention is nobody's secret.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from seemly.policies.pii.search_text import Candidate, Detector, cues, has_any, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from seemly.policies.pii.search_text import Reading

__all__ = ["DETECTORS"]

_PLATFORMS = sorted(
    words(
        "insta instagram ig snapchat snap sc discord disc telegram tg tele tiktok twitter kik skype "
        "wechat weixin facebook fb messenger onlyfans reddit twitch gamertag psn xbox roblox fortnite "
        "linkedin viber vk tumblr pinterest bluesky bsky mastodon threads signal whatsapp steam cashapp "
        "venmo paypal инста инстаграм телеграм телега тг вк дискорд 微信 인스타 インスタ"
    )
)
_VAGUE = frozenset(
    {"sc", "tele", "threads", "steam", "signal", "tg", "ig", "vk", "disc", "fb", "paypal", "fortnite", "xbox"}
)

_HANDLE = r"[A-Za-z0-9_](?:[A-Za-z0-9_.\-]{0,30}[A-Za-z0-9_])?(?:\s?#\s?\d{4}(?!\d))?"
_AFTER = re.compile(
    r"(?:'s)?(?P<kind>\s(?:name|id|user|username|user\sname|handle|account|acc|acct|tag|nick|nickname))?"
    r"(?:(?P<sign>\s?(?:[:=：→>]|->|=>)\s{0,2})|\s(?P<verb>is|ist|es|est|è|é|это)(?:\s|:\s)|(?P<bare>[ "
    r"\t(]{1,2}(?:-\s)?))"
    rf"(?P<quote>[\"'`(]?)(?P<handle>@?{_HANDLE})(?![\w@/]|\.\w)",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"(?:^|(?<=[\s\"'(:,]))(?P<handle>@?{_HANDLE})[\"')]?,?\s(?:on|auf|en|sur|su|no|via|in|@)\s(?:the\s|"
    rf"my\s)?$",
    re.IGNORECASE,
)
_TAG = re.compile(r"(?<![\w#/@.-])[A-Za-z][\w.]{1,31}#\d{4}(?!\w)")
_NUMBERED = re.compile(r"#\d{4}")
_HOSTS = (
    "t.me/",
    "instagram.com/",
    "snapchat.com/add/",
    "facebook.com/",
    "fb.com/",
    "tiktok.com/@",
    "linkedin.com/in/",
    "discord.gg/",
    "onlyfans.com/",
    "kik.me/",
    "twitter.com/",
)
_PROFILE = re.compile(
    rf"(?<![\w@])(?:www\.)?(?:{'|'.join(map(re.escape, _HOSTS))})(?P<handle>[A-Za-z0-9_.\-]{{2,40}})(?=[\s?,;!)\"']|"
    r"[./](?:\s|$)|$)",
    re.IGNORECASE,
)
_PAGES = words(
    "p reel reels explore stories watch groups events pages share sharer joinchat login signup help about "
    "privacy home i intent "
    "hashtag search marketplace photo profile.php story.php"
)
_OWN = cues(
    "my me add follow dm hmu find message msg text contact reach write im i'm mine our mein mich mir meine "
    "mon mi mio minha meu sígueme "
    "agregame agrégame ajoute folge schreib aggiungimi мой мне меня пиши add: i ask chat talk мо* 加*"
)
_ASKING = re.compile(
    r"(?:(?:add|follow|find|message|msg|text|hit|contact|reach)\s(?:me|us)\b|hmu|dm me|dm)"
    r"[^.!?\n]{0,12}\b(?:on|at|via|my)\s(?:my\s)?$",
    re.IGNORECASE,
)
_SAYING = re.compile(r"(?:i'?m|i am|it'?s|user(?:name)?(?: is)?:?|name is)\s@?$", re.IGNORECASE)
_CLAUSE_END = re.compile(
    r"\s{0,2}(?:$|[.,!?;:)\n\"']|and\b|or\b|if\b|so\b|for\b|lol\b|xd\b|xx\b|pls\b|please\b|<|[^\x00-\x7f])",
    re.IGNORECASE,
)
_PLAIN_WORDS = words(
    "a an the and or but if so not no yes is are was were be been being it its this that these those there "
    "here me my you your he she they "
    "we us them him her i on in at to of for from with by as up down out off over new old good bad great "
    "best worst better fun cool nice lame "
    "dead down private public hacked banned locked deleted full empty broken gone boring awesome amazing "
    "trash toxic cancer fake real official "
    "free open closed app web page pages post posts story stories reel reels live video videos pic pics "
    "photo photos group groups chat chats "
    "server servers bot bots channel channels link links account accounts user users name username id "
    "handle profile followers following feed "
    "ads ad algorithm marketing support team company too very really just also only now then today tomorrow "
    "later soon again please pls thanks "
    "lol lmao haha because cuz since when where what who why how which about after before while still "
    "already always never ever all any some "
    "more most much many like love hate want need get got getting go going add added follow dm call text "
    "send sent use used using does doesn't did "
    "has have had can can't will won't would should could may might must do don't instead going like says "
    "said shows thing things stuff "
    "someone anyone everyone people friends friend kids girls guys back first last next one two three "
    "working acting slow fast annoying stupid "
    "better worse going mine yours ours theirs same different available coming ok okay sure fine right "
    "wrong true false nothing something"
) | frozenset(_PLATFORMS)


def _told(reading: Reading) -> Iterator[Candidate]:
    for platform in _PLATFORMS:
        if platform not in reading.vocabulary and (platform.isascii() or platform not in reading.lower):
            continue
        for at in reading.occurrences(platform):
            yield from _after(reading, platform, at)
            yield from _before(reading, at)


def _after(reading: Reading, platform: str, at: int) -> Iterator[Candidate]:
    text = reading.text
    match = _AFTER.match(text, at + len(platform))
    if match is None or text[at - 1 : at] == "@":
        return
    written = match["handle"]
    start, end = match.span("handle")
    vague = (
        platform in _VAGUE
        and not match["sign"]
        and written[0] != "@"
        and not reading.near(_OWN, at, at + len(platform), 20, 0)
    )
    probability = _worth(reading, match, at)
    if probability and not vague:
        yield _account(start, end, written, probability)


def _worth(reading: Reading, match: re.Match[str], at: int) -> float:
    written = match["handle"]
    word = written.lower()
    if written[0] == "@":
        return 0.9
    if "#" in written:
        return 0.92
    if len(word) < 3 or word in _PLAIN_WORDS or word.strip("0123456789-.") == "":
        return 0.0
    odd = _odd(word)
    ends = _CLAUSE_END.match(reading.text, match.end()) is not None
    own = reading.near(_OWN, at, at, 20, 0)
    if match["sign"]:
        return 0.88 if odd else 0.75 if ends else 0.45
    if match["verb"]:
        if not (own or match["kind"]):
            return 0.4 if odd else 0.0
        return 0.9 if odd else 0.7 if ends and not word.endswith(("ing", "ed")) else 0.2
    asking = _ASKING.search(reading.text, max(0, at - 40), at) is not None
    if odd:
        return 0.85 if own or asking or match["kind"] else 0.4
    return 0.55 if asking and ends else 0.0


def _before(reading: Reading, at: int) -> Iterator[Candidate]:
    text = reading.text
    base = max(0, at - 56)
    behind = text[base:at]
    match = _BEFORE.search(behind)
    if match is None:
        return
    written, start = match["handle"], base + match.start("handle")
    word = written.lower()
    if written[0] == "@":
        probability = 0.85
    elif "#" in written:
        probability = 0.92
    elif _odd(word) and not word.replace(".", "").isdigit() and len(word) > 3:
        probability = 0.8 if any(char.isdigit() or char == "_" for char in word) else 0.45
    elif len(word) > 3 and word not in _PLAIN_WORDS and _SAYING.search(text, max(0, start - 16), start):
        probability = 0.6
    else:
        return
    yield _account(start, start + len(written), written, probability)


def _odd(word: str) -> bool:
    return any(char.isdigit() or char in "_." for char in word)


def _account(start: int, end: int, written: str, probability: float) -> Candidate:
    return Candidate(start, end, "social_handle", probability, written.lstrip("@").lower().replace(" ", ""), "context")


def _tags(reading: Reading) -> Iterator[Candidate]:
    for match in reading.near_digits(_TAG):
        if match[0].partition("#")[0].lower() not in {
            "issue",
            "pr",
            "bug",
            "ticket",
            "case",
            "order",
            "build",
            "room",
            "route",
            "unit",
            "invoice",
        }:
            yield _account(*match.span(), match[0], 0.8 if reading.near(_OWN, *match.span(), 32, 0) else 0.45)


def _profiles(reading: Reading) -> Iterator[Candidate]:
    for match in _PROFILE.finditer(reading.text):
        handle = match["handle"].rstrip(".")
        if handle.lower() not in _PAGES and not handle.lower().endswith((".php", ".html")):
            yield _account(match.start(), match.start("handle") + len(handle), match[0], 0.6)


_HEARD = cues(" ".join(word if word.isascii() else f"{word}*" for word in _PLATFORMS))

DETECTORS = (
    Detector(("social_handle",), lambda reading: reading.heard(_HEARD), _told, frozenset(_PLATFORMS)),
    Detector(("social_handle",), lambda reading: _NUMBERED.search(reading.text) is not None, _tags, least_digits=4),
    Detector(
        ("social_handle",),
        lambda reading: "/" in reading.text and has_any(reading.lower, _HOSTS),
        _profiles,
        frozenset({"instagram", "facebook", "tiktok"}),
    ),
)
