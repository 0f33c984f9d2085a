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
    "❗": "!", "❕": "!", "⭕": "o", "✝": "t", "💲": "$", "©": "c", "ℹ": "i", "Ⓜ": "M",
}  # fmt: skip
PARENTHESIZED = run(0x249C, LOWER) | run(0x1F110, UPPER)
SQUARED = {char: letter for char, letter in (run(0x1F150, UPPER) | run(0x1F170, UPPER)).items() if char not in EMOJI}
SMALL_STRONG = pairs("ᴀᴄᴅᴇꜰᴊᴋᴍᴏᴘꞯꜱᴛᴜᴠᴡᴢᴎᴙꟸ", "acdefjkmopqstuvwznrh")
SMALL_WEAK = pairs("ʙɢʜɪʟɴʀʏɡɑɩʋƒɫꞁ", "bghilnrygaiufll")
TURNED_STRONG = pairs("ʇʞǝƃᴉꓕ∀ⱯƆƎℲ⅁ᴚ⅄Ԁ⊥∩˥", "tkegiTAACEFGRYPTUL")
TURNED_WEAK = pairs("ɐɔɟɓɥɾɯɹʌʍʎפןſ", "acfghjmrvwyGlj")
TURNED_PLAIN = pairs("bdlnopqsuxzHINOSXZMW'.,!?", "qpluodbsnxzHINOSXZWM,',¡¿") | {"¿": "?", "¡": "!", "˙": "."}
STRONG = SMALL_STRONG | SQUARED | {c: t for c, t in TURNED_STRONG.items() if c not in "∀∩⊥˥Ԁ"}
WEAK = SMALL_WEAK
LOOSE = (
    pairs("вгдзийклмнптцчшщыьъэяёфж", "brdeunklmhntuywwybbeaeox")
    | pairs("ВГДЗИЙКЛМНПТЦЧШЩЫЬЪЭЯЁФЖ", "BRDENNKLMHNTUYWWYBBEREOX")
    | pairs("ґєїўғқңҙҝ", "reiyfknzk")
    | pairs("βδεζηθκλμξπςτφψωϝ", "bdeznokluenctoywf")
    | pairs("ΓΔΘΛΞΠΣΦΨΩ", "FAOAENEOYO")
)
HOMOGLYPHS = pairs("aceopxyABCEHKMOPTXY", "асеорхуАВСЕНКМОРТХУ")
TO_CYRILLIC = HOMOGLYPHS | pairs("kmtbhnuriIg", "кмтвнпигиІд")
UNCHANGED = frozenset(
    "\u0e33\u0eb3ϲϹ¼½¾"
    + "".join(map(chr, [*range(0x3131, 0x3164), *range(0x3165, 0x318F), *range(0x2150, 0x2160), 0x2189]))
)
"""What NFKC would damage for a reader: Thai and Lao AM, lunate sigma, Korean letters typed alone, fractions."""
ORDINARY_LATIN = frozenset("ıßþÞðøØłŁđĐæÆœŒħŋ")
COUNTRIES = """
    AC AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
    CA CC CD CF CG CH CI CK CL CM CN CO CP CR CU CV CW CX CY CZ DE DG DJ DK DM DO DZ EA EC EE EG EH ER ES ET EU FI FJ
    FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU IC ID IE IL IM IN IO IQ IR
    IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM
    MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT
    PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TA TC TD TF TG TH TJ TK TL
    TM TN TO TR TT TV TW TZ UA UG UM UN US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW
"""
FLAGS = dict.fromkeys(COUNTRIES.split(), "flag")
PUNCTUATION = {
    "$": "@$€£¢¥¡§∪⊂∂∆",
    "!": "!|",
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
    "homoglyph": HOMOGLYPHS,
    "cyrillic": TO_CYRILLIC,
    "flag": FLAGS,
}
