"""Messages to measure with: distinct, about 200 characters of English on average, made of the hand-written examples.

A tenth of the sentences come from examples of some harm, and a tenth of the messages hold personal data or a link.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

WRITTEN = Path(__file__).parent.parent / "models" / "training" / "written"

_DATA = (
    "write to {name}.{n}@example.com",
    "call me on +44 20 7946 0{n:03d}",
    "see https://shop{n}.example.com/item?id={n}",
    "my card is 4111 1111 1111 1111",
    "look at www.{name}{n}.com/offers",
)
_NAMES = ("mara", "oleg", "ines", "tom", "yuki", "amir", "lena", "paul")


def english_messages(count: int, seed: int = 0) -> list[str]:
    """`count` distinct messages with a mean of about 200 characters."""
    chance = random.Random(seed)
    clean, harmful = _sentences()
    seen: dict[str, None] = {}
    while len(seen) < count:
        target = chance.uniform(80, 260)
        parts: list[str] = []
        while sum(map(len, parts)) < target:
            parts.append(chance.choice(harmful if chance.random() < 0.1 else clean))
        if len(seen) % 10 == 0:
            data = chance.choice(_DATA).format(name=chance.choice(_NAMES), n=chance.randrange(1000))
            parts.insert(chance.randrange(len(parts) + 1), data)
        seen[" ".join(parts)] = None
    messages = list(seen)
    chance.shuffle(messages)
    return messages


def chat_messages(count: int, seed: int = 0) -> list[str]:
    """`count` distinct messages with a median of about 80 characters: everyday English, one in ten harmful."""
    chance = random.Random(seed)
    everyday = [row for name in ("everyday", "short_chat") for row in _records(name) if row["text"].isascii()]
    clean = [row["text"] for row in everyday if not any(row["labels"].values())]
    harmful = [row["text"] for row in _records("comments") if any(row["labels"].values())]
    seen: dict[str, None] = {}
    while len(seen) < count:
        target = chance.lognormvariate(4.2, 0.6)
        parts = [chance.choice(harmful)] if len(seen) % 10 == 0 else []
        while sum(map(len, parts)) < target:
            parts.append(chance.choice(clean))
        seen[" ".join(parts)] = None
    return list(seen)


def english_prose(length: int) -> str:
    """One text of `length` characters of ordinary sentences."""
    chance = random.Random(7)
    clean, _ = _sentences()
    return " ".join(chance.choice(clean) for _ in range(length // 20))[:length]


def mixed_scripts(length: int) -> str:
    """One text of `length` characters in nine scripts, with a few emoji and spoofed words."""
    pieces = (
        "Это обычное сообщение на русском языке, без всяких хитростей. ",
        "Αυτό είναι ένα συνηθισμένο μήνυμα στα ελληνικά. ",
        "هذه رسالة عادية باللغة العربية من صديق قديم. ",
        "यह हिन्दी में लिखा गया एक सामान्य संदेश है। ",
        "これは日本語で書かれた普通のメッセージです。AI技術の話。",
        "这是一条普通的中文消息，没有什么特别的。",
        "이것은 한국어로 작성된 평범한 메시지입니다. ",
        "Đây là một tin nhắn bình thường bằng tiếng Việt. ",
        "Dies ist eine ganz gewöhnliche Nachricht, größtenteils harmlos. ",
        "and some English too 😀👍🏽, with pаypal and ｆｕｌｌｗｉｄｔｈ words. ",
    )
    return ("".join(pieces) * (length // 400 + 1))[:length]


HOSTILE = {
    "aaaa": "a",
    "((((": "(",
    "1111": "1",
    "555-0100": "555-0100 ",
    "1111a": "1" * 40 + "a ",
    "@@@@": "@",
    "zalgo": "Z̵̡̢̛̛͎̺̲̿͐̑a̷̧̡̨͎̘̼̓̈́͘ļ̶̨̢̛͚̬̽̋̀g̵̢̡̛̘͕̃̓͝ơ̷̢̡̘̽̀͝ ",
    "f.u.c.k": "f.u.c.k ",
    "zero width": "\u200b",
    "mixed words": "pаypal сосaine ",
    "http://": "http://",
    "a.b.": "a.b.",
    "a@a.": "a@a.",
    "one two": "one two three ",
    "f*": "f*",
    "emoji": "👨‍👩‍👧‍👦",
    "marks": "\u0301",
    "CJK": "这是",
    "newlines": "\n",
    "dots": ".",
    "leet": "5h1t ",
    "everything": (
        "jo@example.com +44 20 7946 0958 http://exa.mple.com/a f.u.c.k sh1t you idiot 4111 1111 1111 1111 "
        "example dot com jo (at) gmail dot com DE89370400440532013000 раураl https://www.пример.рф "
        "one two three four five 192.168.0.1\n12 Main Street my insta is foo_bar ⓕⓤⓒⓚ 🅵🆄🅲🅺 ｆｕｃｋ fu\u200bck "
        "你好 안녕 नमस्ते שלום "
    ),
}
"""Patterns that have cost other libraries quadratic time or worse, by name."""


def hostile(pattern: str, length: int) -> str:
    """`length` characters of one of the hostile patterns."""
    unit = HOSTILE[pattern]
    return (unit * (length // len(unit) + 1))[:length]


def _sentences() -> tuple[list[str], list[str]]:
    """The examples in English, of one or two sentences each: those without any harm, and the others."""
    clean: set[str] = set()
    harmful: set[str] = set()
    for path in sorted(WRITTEN.glob("*.jsonl")):
        for row in _records(path.stem):
            if row["text"].isascii() and 20 <= len(row["text"]) <= 200:
                (harmful if any(row["labels"].values()) else clean).add(row["text"])
    return sorted(clean), sorted(harmful)


def _records(name: str) -> list[dict[str, Any]]:
    lines = (WRITTEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]
