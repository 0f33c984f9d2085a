"""The data sets' files as records, where a set needs more than its columns."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from training.reading import read_json, read_lines, read_table, read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    Record = Mapping[str, Any]


def table(*files: str, **how: Any) -> Callable[[Path], Iterator[Record]]:
    """Delimited files."""
    return lambda folder: (record for file in files for record in read_table(folder / "train" / file, **how))


def lines(file: str, start: str = "train") -> Callable[[Path], Iterator[Record]]:
    """A file of one text a line."""
    return lambda folder: read_lines(folder / start / file)


def json_file(*files: str) -> Callable[[Path], Iterator[Record]]:
    """Files of JSON records."""
    return lambda folder: (record for file in files for record in read_json(folder / "train" / file))


def spans(folder: Path) -> Iterator[Record]:
    """Toxic comments with, for each kind of span, the share of annotators who marked one."""
    texts = {r["comment_id"]: r["comment_text"] for r in table("toxic_spans/data_comments.csv")(folder)}
    of = {r["annotation"]: r["comment_id"] for r in table("toxic_spans/data_annotations.csv")(folder)}
    asked: dict[str, int] = {}
    clean: dict[str, int] = {}
    for r in table("toxic_spans/data_annotations.csv")(folder):
        asked[r["comment_id"]] = asked.get(r["comment_id"], 0) + 1
        clean[r["comment_id"]] = clean.get(r["comment_id"], 0) + (r["not toxic"] == "True")
    marked: dict[str, dict[str, set[str]]] = {}
    for r in table("toxic_spans/data_spans.csv")(folder):
        comment = of.get(r["annotation"])
        if comment is not None:
            marked.setdefault(comment, {}).setdefault(r["type"], set()).add(r["annotation"])
    for comment, count in asked.items():
        if comment in texts:
            kinds = {kind: len(who) / count for kind, who in marked.get(comment, {}).items()}
            yield {"text": texts[comment], "toxic": 1 - clean[comment] / count, **kinds}


def turku(folder: Path) -> Iterator[Record]:
    """Finnish comments, one record a label and comment, with the share of annotators who gave it."""
    for label in ("toxicity", "severe_toxicity", "obscene", "threat", "insult", "identity_attack"):
        for r in read_table(
            folder / "train" / f"turku_finnish_toxicity/annotations_raw_annotations_{label}.tsv",
            delimiter="\t",
            quoted=False,
        ):
            told = [r[f"annotator{n}"] for n in (1, 2, 3) if r[f"annotator{n}"] in (label, f"not-{label}")]
            if told and r["text"]:
                yield {"text": r["text"], label: sum(t == label for t in told) / len(told)}


def russe(folder: Path) -> Iterator[Record]:
    """Toxic comments and their neutral rewrites; `mat` where a word of the list of obscene inflections is in one."""
    mat = set(read_text(folder / "lexicons/ru_mat_list/data_train_MAT_FINAL_with_unigram_inflections.txt").split())
    for name in ("train", "dev"):
        for r in table(f"russe_detox/data_input_{name}.tsv", delimiter="\t", quoted=False)(folder):
            text = r["toxic_comment"] or ""
            found = any(word in mat for word in re.findall(r"\w{3,}", text.lower()))
            yield {"text": text, "toxic": 1.0, "mat": 1.0 if found else None}
            for n in (1, 2, 3):
                if r.get(f"neutral_comment{n}"):
                    yield {"text": r[f"neutral_comment{n}"], "toxic": 0.0, "mat": 0.0}


def germeval(folder: Path) -> Iterator[Record]:
    """Tweets with a coarse and a fine label, in a file without a header."""
    yield from table("germeval2018/germeval2018.training.txt", delimiter="\t", quoted=False, header="text coarse fine")(
        folder
    )


def trolls(folder: Path) -> Iterator[Record]:
    """Tweets as JSON lines with a nested label."""
    for r in json_file("cyber_trolls/Dataset.json")(folder):
        yield {"text": r["content"], "label": r["annotation"]["label"][0]}


def quoted(folder: Path) -> Iterator[Record]:
    """The Impermium insults: texts are JSON strings within the CSV."""
    for r in table("cyberbullying_elsafoury/kaggle_parsed_dataset.csv")(folder):
        try:
            text = ast.literal_eval(r["Text"])
        except (SyntaxError, ValueError):
            text = r["Text"].strip('"')
        yield {**r, "text": text}


def toxigen(kind: str) -> Callable[[Path], Iterator[Record]]:
    """The demonstrations within the prompts for hateful or neutral sentences, each once."""

    def read(folder: Path) -> Iterator[Record]:
        seen: set[str] = set()
        for path in sorted((folder / "train/toxigen").glob(f"prompts_{kind}_*")):
            for prompt in read_text(path).splitlines():
                for line in prompt.split("\\n"):
                    text = line.strip(" -")
                    if text and text not in seen:
                        seen.add(text)
                        yield {"text": text}

    return read


def sexting(folder: Path) -> Iterator[Record]:
    """Explicit lines, without the speaker."""
    for r in lines("sexting/sexting_dataset.txt")(folder):
        yield {"text": re.sub(r"\A(?:He|She)\s*:\s*", "", r["text"])}


def slang(folder: Path) -> Iterator[Record]:
    """Abusive expressions, without their Bengali number."""
    for r in lines("bengali_hate/bengali_slung_abusive.txt")(folder):
        yield {"text": re.sub(r"\A\w{1,4}[।.]\s*", "", r["text"])}


def swearwords(folder: Path) -> Iterator[Record]:
    """The words of LDNOOBW, but for English, and for scripts without spaces, whose characters are harmless."""
    for path in sorted((folder / "lexicons/ldnoobw").iterdir()):
        if len(path.name) in (2, 3) and path.name not in ("en", "eo", "ja", "th", "tlh", "zh"):
            for word in read_text(path).splitlines():
                yield {"text": word}


def youtube(folder: Path) -> Iterator[Record]:
    """Comments of four of the videos."""
    names = ("01-Psy", "02-KatyPerry", "03-LMFAO", "04-Eminem")
    yield from table(*(f"youtube_spam/Youtube{name}.csv" for name in names))(folder)
