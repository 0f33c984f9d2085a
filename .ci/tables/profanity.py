"""Write `src/seemly/data/profanity.tsv` from lists with permissive licences and the reviewed overrides.

Run from the repository root: `PYTHONPATH=src python .ci/tables/profanity.py FOLDER`, where FOLDER holds one folder a
source. English words come from the sources where they carry a strong stem, and from endings and compounds; words
of other languages come from the overrides, each chosen by a reader of the sources.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import gzip
import json
import re
import unicodedata
from dataclasses import dataclass, replace
from pathlib import Path

import regex

from seemly.text.matching.patterns import parse_pattern

ROOT = Path(__file__).parents[2]
OVERRIDES = Path(__file__).with_name("profanity_overrides.tsv")
OUTPUT = ROOT / "src" / "seemly" / "data" / "profanity.tsv"
SOURCES = (
    ("surge-ai/profanity", "MIT", "surge_profanity/profanity_en.csv.gz"),
    ("dsojevic/profanity-list", "MIT", "dsojevic_profanity/en.json.gz"),
    ("LDNOOBW/List-of-Dirty-Naughty-Obscene-and-Otherwise-Bad-Words", "CC BY 4.0", "ldnoobw/en"),
    ("coffee-and-fun/google-profanity-words", "MIT", "google_profanity/data_en.txt"),
    ("censor-text/profanity-list", "Unlicense", "censortext_profanity/list_en.txt"),
    ("4troDev/profanity.csv", "MIT", "profanity_csv_4tro/English.csv"),
    ("thisandagain/washyourmouthoutwithsoap", "MIT", "washyourmouth/data__en.json"),
)
READ_ONLY = (
    "consulted in part for other languages, whose words were chosen by the reviewer: the lists above, and "
    "MosasoM/inappropriate-words-ja (MIT)"
)
STEMS = (
    (3, "slur", re.compile(r"nigg(?:er|a|uh|ah)|faggot|phaggot|towelhead|raghead|slanteye")),
    (3, "profanity", re.compile(r"cunt")),
    (
        2,
        "profanity",
        re.compile(
            r"fuck|fukk|phuck|fvck|(?<!mi)shit(?!ake)|bitch|b[ei]+otch|biatch|asshole|arsehole|asswip|cocksuck|cocksuk"
            r"|dickhead|dicklick|dicksuck|pussylick|pussyeat|jizz|cumslut|cumdump|whore|slut|wanker|twat|dumbass|mofo"
        ),
    ),
)
HEADS = (
    "fuck",
    "shit",
    "cunt",
    "dick",
    "cock",
    "ass",
    "arse",
    "bitch",
    "twat",
    "cum",
    "douche",
    "piss",
    "whore",
    "slut",
    "jizz",
    "butt",
    "fart",
    "turd",
    "knob",
)
TAILS = (
    "head",
    "face",
    "wad",
    "bag",
    "hole",
    "wipe",
    "stain",
    "brain",
    "lord",
    "stick",
    "nugget",
    "licker",
    "sucker",
    "eater",
    "breath",
    "monkey",
    "bucket",
    "nozzle",
    "goblin",
    "weasel",
    "muncher",
    "sniffer",
    "weed",
    "rag",
    "hat",
    "clown",
    "tard",
    "canoe",
    "waffle",
    "fucker",
    "fuck",
    "fucking",
    "shit",
    "bandit",
    "jockey",
    "pirate",
    "kisser",
    "lick",
    "munch",
    "slapper",
    "smoker",
    "snot",
    "wagon",
    "rocket",
    "gobbler",
    "biscuit",
    "sandwich",
    "trumpet",
    "womble",
    "badger",
    "puffin",
)
INNOCENT = frozenset(
    {"buttbag", "cockbadger", "shitbadger", "asswagon", "buttrocket", "cockpuffin", "arsewagon", "fartbiscuit"}
)
PLAIN = regex.compile(r"[a-z]+(?:[ '-][a-z]+)*")


@dataclass(frozen=True)
class Entry:
    word: str
    languages: tuple[str, ...]
    grade: int
    category: str
    flags: str = ""
    exact: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    table: dict[str, Entry] = {}
    for word in sorted(from_sources(folder) | compounds()):
        put(table, grade_english(word))
    marked: set[str] = set()
    rows = list(override_rows())
    for row in rows:
        if row["action"] == "mark":
            marked.update(spelled(word) for word in row["words"])
    for row in rows:
        apply(table, row, marked)
    entries = [entry for entry in table.values() if not redundant(entry, table)]
    entries.sort(key=lambda entry: (entry.languages, -entry.grade, entry.word))
    write(entries)
    print(f"{len(entries)} entries, {OUTPUT.stat().st_size} bytes")


def from_sources(folder: Path) -> set[str]:
    found: set[str] = set()
    for _, _, name in SOURCES:
        path = folder / name
        text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text("utf-8")
        if name.endswith(".csv.gz"):
            found.update(row["text"] for row in csv.DictReader(text.splitlines()))
        elif name.endswith("en.json.gz"):
            found.update(word for entry in json.loads(text) for word in entry["match"].split("|"))
        elif name.endswith(".json"):
            found.update(json.loads(text))
        else:
            found.update(text.splitlines())
    return {word.strip().lower() for word in found if any(stem.search(word.lower()) for _, _, stem in STEMS)}


def compounds() -> set[str]:
    singles = {head + tail for head in HEADS for tail in TAILS if head != tail} - INNOCENT
    return singles | {word + "s" for word in singles if not word.endswith("s")}


def grade_english(word: str) -> Entry | None:
    folded = fold(word)
    if folded is None or not PLAIN.fullmatch(folded):
        return None
    for grade, category, stem in STEMS:
        if stem.search(folded):
            return Entry(folded, ("en",), grade, category)
    return Entry(folded, ("en",), 2, "profanity") if " " not in folded else None


def override_rows() -> list[dict]:
    lines = [line for line in OVERRIDES.read_text("utf-8").splitlines() if not line.startswith("#")]
    rows = []
    for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
        row["words"] = [word.strip() for word in row["words"].split(" ; ") if word.strip()]
        rows.append(row)
    return rows


def apply(table: dict[str, Entry], row: dict, marked: set[str]) -> None:
    if row["action"] == "mark":
        return
    for source in row["words"]:
        for word in inflected(source, row["flags"]):
            pattern = fold(word)
            if pattern is None:
                raise SystemExit(f"not a pattern: {word}")
            if row["action"] == "drop":
                table.pop(pattern, None)
            elif row["action"] == "allow":
                put(table, Entry(pattern, (row["language"],), 0, "allow", nature(word)))
            else:
                exact = spelled(word)
                needs = exact in marked or (row["language"] == "vi" and not word.isascii())
                kept, bang, unless = row["flags"].partition("!")
                flags = kept.replace("v", "").replace("n", "") + bang + unless
                flags = nature(word) + flags
                put(
                    table,
                    Entry(
                        pattern,
                        (row["language"],),
                        int(row["grade"]),
                        row["category"],
                        flags,
                        exact if needs else "",
                    ),
                )


def put(table: dict[str, Entry], entry: Entry | None) -> None:
    if entry is None:
        return
    old = table.get(entry.word)
    if old is not None:
        entry = replace(
            entry,
            languages=tuple(dict.fromkeys(old.languages + entry.languages)),
            flags="x" * ("x" in old.flags.split("!")[0] and "x" not in entry.flags) + entry.flags,
            exact=entry.exact if old.exact else "",
        )
    table[entry.word] = entry


def inflected(word: str, flags: str) -> list[str]:
    flags = flags.split("!")[0]
    words = [word]
    if "v" in flags:
        words += [word + ending for ending in ("s", "ed", "ing", "in", "er", "ers", "ings")]
    if "n" in flags:
        words.append(word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s"))
    return words


def fold(word: str) -> str | None:
    """The pattern as it stands in the table: folded words, single spaces, `*` where letters may stand."""
    try:
        pattern = parse_pattern(word)
    except ValueError:
        return None
    if pattern.symbol is not None:
        return pattern.symbol
    return " ".join("*" * part.before + part.text + "*" * part.after for part in pattern.parts)


def nature(word: str) -> str:
    """The flags that the pattern itself asks for."""
    pattern = parse_pattern(word)
    inside = any(part.before or part.after for part in pattern.parts) and not pattern.widen
    return "s" * inside + "k" * pattern.katakana + "e" * (pattern.symbol is not None)


def spelled(word: str) -> str:
    return " ".join(unicodedata.normalize("NFC", word).casefold().split())


def redundant(entry: Entry, table: dict[str, Entry]) -> bool:
    """A phrase one of whose words is found anyhow."""
    words = entry.word.split(" ")
    if len(words) < 2 or entry.grade == 0:
        return False
    alone = (table.get(word) for word in words)
    return any(one and one.grade >= entry.grade and not one.exact and "!" not in one.flags for one in alone)


def write(entries: list[Entry]) -> None:
    lines = [
        "# Graded profanity: pattern, languages (ISO 639-1), grade (1 mild, 2 strong, 3 slurs and extreme, 0 exempt),",
        "# category, flags (x distinctive, h strong where disguised, s no star in the match, k katakana, e sign,",
        "# !xx not in language xx), the only spelling that counts.",
        f"# Generated {datetime.datetime.now(datetime.UTC).date()} by .ci/tables/profanity.py; do not edit.",
        *(f"# source: {name} ({licence})" for name, licence, _ in SOURCES),
        f"# {READ_ONLY}",
        "# additions and decisions: .ci/tables/profanity_overrides.tsv (Apache-2.0)",
    ]
    for entry in entries:
        row = (entry.word, ",".join(entry.languages), str(entry.grade), entry.category, entry.flags, entry.exact)
        lines.append("\t".join(row).rstrip("\t"))
    OUTPUT.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
