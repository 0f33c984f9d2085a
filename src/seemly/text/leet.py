"""Leetspeak and masked letters: `sh1t`, `a$$`, `f*ck`, read in place, one character for one."""

from __future__ import annotations

import re

__all__ = ["LETTERS", "read_leet"]

_KINDS = bytes(97 if c in b"al" else 42 if c in b"*e" else c if c in b"d$(+!" else 32 for c in range(256))
_LETTER, _DIGIT, _MASK = b"ad*"
_ROUGH = bytes(97 if c in b"al" else 36 if c in b"d$" else 45 if c in b"*e(+!" else 32 for c in range(256))
"""Letters, what may begin or end a word for one, and what only stands for one between letters."""
_SIGNS = re.compile(rb"[d$(+*!]++")
_TOKEN = re.compile(rb"[ad$(+*!]*+")
_GROUPS = re.compile(rb"a++|d++|[$(+!]++|\*++")
_SPACED = re.compile(rb"(?:a[$(+*!]){2,}+a?")
LETTERS = {
    "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "9": "g",
    "@": "a", "$": "s", "!": "i", "|": "i", "+": "t", "€": "e", "£": "l", "¢": "c", "¥": "y", "(": "c", "<": "c",
    "¡": "i", "§": "s", "∪": "u", "⊂": "c", "∂": "d", "∆": "a",
}  # fmt: skip
_CONSONANT = (("fvck", "fuck"), ("cvnt", "cunt"), ("fvk", "fuk"))
"""The words that v for u is written in; elsewhere v is v."""
_DRAWN_K = re.compile(r"(?<=[^\W\d_])\|<")
_VOWELS = frozenset("aeiou")
_ENDINGS = frozenset(("a55", "as5", "a5s"))
_CODE = re.compile(r"[A-Z][0-9]{1,4}[A-Z]?")
_CLOCK = re.compile(r"\d{1,2}h\d{2}")
_MAX_TOKEN = 32
_SURE_LETTERS = 2
_UNITS = frozenset(
    [
        "st", "nd", "rd", "th", "am", "pm", "km", "kg", "gb", "mb", "tb", "kb", "hz", "khz", "mhz", "ghz",
        "mm", "cm", "ms", "ns", "us", "px", "pt", "in", "ft", "lb", "oz", "mg", "ml", "sec", "min", "hr",
        "day", "yr", "mph", "kph", "fps", "bit", "way", "year", "kw", "kwh", "mp", "star", "chan", "ever", "some",
    ]
)  # fmt: skip
_TERMS = frozenset(
    ["k8s", "i18n", "l10n", "g11n", "a11y", "w3c", "h1n1", "h5n1", "e2e", "p2p", "t1d", "mp3s", "mp4s", "f4u", "c3po"]
)
_CURRENCIES = frozenset(["us", "au", "nz", "hk", "ca", "sg", "cad", "usd", "aud"])


def read_leet(text: str, classes: bytes, cased: str) -> str:
    """`text`, lower case, with the digits and signs that stand for letters read as letters, and masks as `*`.

    `cased` is the same text in its own case, as long: capitals before digits make a code (`A55`), not a word.
    """
    if "fv" in text or "cv" in text:
        for spelling, word in _CONSONANT:
            text = text.replace(spelling, word)
    if "|<" in text:
        text = _DRAWN_K.sub("kk", text)
    rough = classes.translate(_ROUGH)
    if not (
        (b"$" in rough and (b"a$" in rough or b"$a" in rough))
        or (b"-" in rough and (b"a-a" in rough or b"a--" in rough))
    ):
        return text
    kinds = b" " + classes.translate(_KINDS) + b" "
    read: list[tuple[int, str]] = []
    known: dict[tuple[str, str], str | None] = {}
    done = 0
    for match in _SIGNS.finditer(kinds):
        first, last = match.span()
        before, after = kinds[first - 1] == _LETTER, kinds[last] == _LETTER
        if first - 1 < done or not (before or after):
            continue
        if not (before and after) and kinds[first] not in b"d$" and kinds[last - 1] not in b"d$":
            continue
        floor = max(done, first - 1 - _MAX_TOKEN)
        start = first - 1
        while start > floor and kinds[start] in b"ad$(+*!":
            start -= 1
        rest = _TOKEN.match(kinds, last)
        done = (rest.end() if rest else last) - 1
        if done - start > _MAX_TOKEN or (start == floor > 0 and kinds[start] in b"ad$(+*!"):
            continue
        token = text[start:done]
        key = token, text[done : done + (32 if "(" in token else 2)]
        if key not in known:
            known[key] = _read(token, kinds[start + 1 : done + 1], key[1])
        new = known[key]
        if new is not None and not _CODE.fullmatch(cased, start, done):
            read.append((start, new))
    if not read:
        return text
    pieces: list[str] = []
    end = 0
    for start, new in read:
        pieces += text[end:start], new
        end = start + len(new)
    pieces.append(text[end:])
    return "".join(pieces)


def _read(token: str, kinds: bytes, after: str) -> str | None:
    """The word that a token stands for, of the same length; None where it stands for itself."""
    letters = kinds.count(b"a")
    if token in _TERMS or token.startswith("0x") or not letters or _SPACED.fullmatch(kinds):
        return None
    groups = [match.span() for match in _GROUPS.finditer(kinds)]
    chars = list(token)
    hit = False
    masks: list[tuple[int, int]] = []
    for i, (start, end) in enumerate(groups):
        if kinds[start] == _LETTER:
            continue
        left = _reach(kinds, groups, i, -1)
        right = _reach(kinds, groups, i, 1)
        if kinds[start] == _DIGIT:
            hit |= _is_leet_digits(token, start, end, left, right, letters, kinds)
        elif kinds[start] == _MASK:
            if _is_mask(token[start:end], left, right, kinds):
                masks.append((start, end))
        elif left and right and b"*" in kinds[start - 1 : start] + kinds[end : end + 1]:
            masks.append((start, end))
        else:
            hit |= _is_leet_signs(token, start, end, left, right, after, kinds)
    if hit or (masks and letters >= _SURE_LETTERS and _may_spell(token)):
        _spell(chars, groups, kinds)
    for start, end in masks:
        chars[start:end] = "*" * (end - start)
    new = "".join(chars)
    return None if new == token else new


def _may_spell(token: str) -> bool:
    """Whether the digits of a token that masks make a word of can stand for letters: `f*ckwi7`, not `a*b2`."""
    return "2" not in token and "6" not in token


def _reach(kinds: bytes, groups: list[tuple[int, int]], at: int, step: int) -> int:
    """The letters beside a group, at once or beyond other signs; 0 where there are none, or digits before them."""
    i = at + step
    while 0 <= i < len(groups):
        start, end = groups[i]
        if kinds[start] == _LETTER:
            return end - start
        if kinds[start] == _DIGIT != kinds[groups[at][0]] and not 0 < i < len(groups) - 1:
            return 0
        i += step
    return 0


def _is_leet_digits(token: str, start: int, end: int, left: int, right: int, letters: int, kinds: bytes) -> bool:
    """Whether digits stand for letters: within a word, or one before it, but in no unit, time, code or hash."""
    digits = token[start:end]
    count = kinds.count(b"d")
    if "2" in token or "6" in token or end - start > 3 or (count > letters + 1 and len(token) > 4):
        return False
    if _CLOCK.fullmatch(token):
        return False
    if left and right:
        if len(set(digits)) > 1 and letters < 3:
            return False
        if digits not in ("0", "00") and letters < 3 and len(digits) > 1 and digits.strip("0135"):
            return False
        if len(token) > 5 and count > 2 and set(token) <= set("0123456789abcdef"):
            return False
        return not (kinds.endswith(b"d") and len(digits) == left == right == 1 and letters == 2)
    if right and start == 0:
        rest = token[end:]
        return end - start == 1 and right >= 2 and rest.rstrip("s") not in _UNITS and rest not in _UNITS
    return token in _ENDINGS or (right == 0 and digits == "17" and letters > 1 and _VOWELS.isdisjoint(token))


def _is_leet_signs(token: str, start: int, end: int, left: int, right: int, after: str, kinds: bytes) -> bool:
    """Whether signs stand for letters: not in an address, a price, a call, a sum or an exclamation."""
    signs = token[start:end]
    digits_beside = kinds[start - 1 : start] == b"d" or kinds[end : end + 1] == b"d"
    if left and right:
        if "@" in signs:
            return not (after[:1] == "." and after[1:].isalnum()) and not (left >= 3 and right >= 4)
        if signs.strip("$€£¢¥") == "":
            return True
        if "(" in signs:
            return min(left, right) <= 2 < left + right and ")" not in after
        return min(left, right) <= 2 < left + right
    if digits_beside:
        return False
    if right and start == 0:
        if signs[0] == "@":
            return right >= 2 and token[end] not in _VOWELS and token[end + 1] not in _VOWELS
        return signs.strip("$¢€£") == "" and right >= 2
    if left and end == len(token):
        if signs.strip("$") == "":
            return len(signs) > 1 or (left >= 2 and token[:start] not in _CURRENCIES)
        return left == 1 and signs.startswith(("$$", "@$", "$@"))
    return False


def _is_mask(signs: str, left: int, right: int, kinds: bytes) -> bool:
    """Whether signs hide letters of a short word: not in a name with an underscore, an initialism or a URL's escape."""
    if not left or not right or left > 3 or left + right > 8:
        return False
    if "_" in signs:
        return kinds.count(b"*") == len(signs) and ((left == 1 and right >= 2) or (left == 2 and right == 1))
    if signs == "&":
        return right >= 2 and kinds.count(b"*") == 1
    if "%" in signs:
        return kinds.count(b"*") == len(signs)
    return True


def _spell(chars: list[str], groups: list[tuple[int, int]], kinds: bytes) -> None:
    """Read every sign of a token that has proved to be a word."""
    for i, (start, end) in enumerate(groups):
        kind = kinds[start]
        last = i == len(groups) - 1
        if kind in b"a*" or (last and kind == _DIGIT and end - start > 2):
            continue
        if last and kind != _DIGIT and set(chars[start:end]) <= set("!|(<"):
            continue
        spelled = "".join(chars[start:end])
        if spelled == "¡" and not start:
            continue  # it opens a Spanish exclamation
        for at in range(start, end):
            if chars[at] == "1":
                chars[at] = chars[at - 1] if at > start and spelled[at - start - 1] == "1" else _one(chars, at)
            else:
                chars[at] = LETTERS.get(chars[at], chars[at])


def _one(chars: list[str], at: int) -> str:
    """1 is l or i, as its neighbours have it."""
    before = chars[at - 1] if at else ""
    next_ = chars[at + 1] if at + 1 < len(chars) else ""
    if next_ == "1" and before:
        return "l" if before in _VOWELS else "i"
    after = LETTERS.get(next_, next_)
    if before in _VOWELS:
        return "l" if before == "i" or not after or after in _VOWELS or after == "l" else "i"
    if after in _VOWELS and after:
        return "l" if not before or before in "bcfgkps" else "i"
    return "i"
