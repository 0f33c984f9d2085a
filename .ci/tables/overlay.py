"""Letters of symbol, phonetic and turned alphabets, as pairs of strings of equal length.

`STRONG` characters occur in no ordinary text but as styled letters; `WEAK` ones also serve phonetic notation;
`LOOSE` ones are ordinary letters of other scripts, read as Latin only inside a word that is otherwise Latin.
"""

from __future__ import annotations

UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LOWER = UPPER.lower()


def run(first: int, letters: str) -> dict[str, str]:
    return {chr(first + i): letter for i, letter in enumerate(letters)}


def pairs(sources: str, targets: str) -> dict[str, str]:
    return dict(zip(sources, targets, strict=True))


EMOJI = {
    "🅰": "A", "🅱": "B", "🅾": "O", "🅿": "P", "🆎": "AB", "🆑": "CL", "🆒": "COOL", "🆓": "FREE", "🆔": "ID",
    "🆕": "NEW", "🆖": "NG", "🆗": "OK", "🆘": "SOS", "🆙": "UP", "🆚": "VS",
}  # fmt: skip
PARENTHESIZED = run(0x249C, LOWER) | run(0x1F110, UPPER)
SQUARED = {
    char: letter
    for char, letter in (run(0x1F150, UPPER) | run(0x1F170, UPPER)).items()
    if char not in EMOJI
}
SMALL_STRONG = pairs("ᴀᴄᴅᴇꜰᴊᴋᴍᴏᴘꞯꜱᴛᴜᴠᴡᴢᴎᴙꟸ", "acdefjkmopqstuvwznrh")
SMALL_WEAK = pairs("ʙɢʜɪʟɴʀʏɡɑɩʋƒɫꞁ", "bghilnryGaivfll".lower())
TURNED_STRONG = pairs("ʇʞǝƃᴉꓕ∀ⱯƆƎℲ⅁ᴚ⅄Ԁ⊥∩˥", "tkegiTAACEFGRYPTUL")
TURNED_WEAK = pairs("ɐɔɟɓɥɾɯɹʌʍʎפןſ", "acfghjmrvwyGlj")
TURNED_PLAIN = pairs("bdlnopqsuxzHINOSXZMW'.,!?", "qpluodbsnxzHINOSXZWM,',¡¿") | {"¿": "?", "¡": "!", "˙": "."}
STRONG = SMALL_STRONG | SQUARED | {c: t for c, t in TURNED_STRONG.items() if c not in "∀∩⊥˥Ԁ"}
WEAK = SMALL_WEAK
LOOSE = (
    pairs("вгдзийклмнптцчшщыьъэяёфж", "brdeunklmhntu4wwybbaeefx".replace("4", "y").replace("f", "o"))
    | pairs("ВГДЗИЙКЛМНПТЦЧШЩЬЪЭЯЁФЖЧ", "BRDENNKLMHNTUYWWBBERÉOXY".replace("É", "E"))
    | pairs("αβγδεζηθικλμνξπρςστυφχψω", "abydeznoiklunenpcotuoxyw")
    | pairs("ΓΔΘΛΞΠΣΦΨΩ", "FAOAENEOYO")
    | pairs("ґєїўғқңҙҝ", "reiyfkn3k".replace("3", "z"))
)
TO_CYRILLIC = pairs("aceopxykmtbhABCEHKMOPTXYnuruiI", "асеорхукмтвнАВСЕНКМОРТХУпигиіІ")
ORDINARY_LATIN = frozenset("ıßþÞðøØłŁđĐæÆœŒħŋ")
PUNCTUATION = {
    "$": "@$!|€£¢¥",
    "(": "(<",
    "+": "+",
    "*": "*#%_^~&•●∗＊✱✲✳×■▒░▓█†‡¤�◆★☆♦",
    "'": "'’‘",
}
KINDS = {
    "strong": SMALL_STRONG | SQUARED,
    "weak": SMALL_WEAK,
    "emoji": EMOJI,
    "parenthesized": PARENTHESIZED,
    "turned_strong": TURNED_STRONG,
    "turned_weak": TURNED_WEAK,
    "turned_plain": TURNED_PLAIN,
    "loose": LOOSE,
    "cyrillic": TO_CYRILLIC,
}
