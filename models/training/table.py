"""The label table: what each column of each data set says of the model's labels.

A label's rule reads one record and gives True or False, a share from 0 to 1 (of annotators, or of trust), or None
where the record does not say. Licences marked (upstream) are not stated by the copy that was used: they are those of
the original publisher, from general knowledge.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from training.reading import read_json, read_lines, read_table, read_text
from training.rows import LABELS, Row, digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    Record = Mapping[str, Any]
    Rule = Callable[[Record], float | bool | None]

RARE = ("flirtation", "self_harm", "sexual", "spam")
"""Labels that ordinary sets of toxic comments do not annotate. They are assumed to be 0 there unless a word in the text
speaks against it (`DOUBT`), with `ASSUMED` of the row's weight, or `ASSUMED_CLEAN` in texts that are not toxic."""

ASSUMED, ASSUMED_CLEAN = 0.3, 0.9

WRITTEN = 4.0
"""The weight of an example that was written for this model."""

HARMS = ("toxicity_severe", "hate", "insult", "threat", "identity_attack", "violence")
"""What a text is not if it is not toxic: 0 wherever a set says so of toxicity and not of these."""

DOUBT: Mapping[str, re.Pattern[str]] = {
    "flirtation": re.compile(r"(?i)\b(?:sexy|babe|cutie|gorgeous|beautiful|hottie|date me|kiss|i love you|handsome)\b"),
    "self_harm": re.compile(
        r"(?i)suicid|kill(?:ing)? (?:my|your|him|her|ur)\s?sel[fv]|\bkys\b|\bdie\b|hang yourself|slit|cut(?:ting)? my"
        r"|end (?:my|it all|your) ?life|want to die|hurt myself|overdose|anorexi"
    ),
    "sexual": re.compile(
        r"(?i)\bs(?:ex|uck)|fuck|cock|dick|pussy|cunt|penis|vagina|tits|boob|naked|nude|horny|porn|anal|cum\b|blow ?job"
        r"|rape|\bass\b|whore|slut|masturbat|orgasm|erotic|thot|hoe"
    ),
    "spam": re.compile(
        r"(?i)https?:|www\.|\.com\b|subscribe|free|click|buy|promo|discount|\bwin\b|follow me|check out"
    ),
}


SILVER: Sequence[tuple[re.Pattern[str], Mapping[str, float]]] = (
    (
        re.compile(r"(?i)\bkys\b|\b(?:kill|hang|shoot|drown|cut) (?:yo)?ur ?self\b"),
        {"self_harm": 0.9},
    ),
    (
        re.compile(
            r"(?i)\b(?:i|we)(?:'?ll| will|'?m going to|'?m gonna| am going to|'?m coming to| wanna| want to) "
            r"(?:kill|murder|stab|shoot|beat|rape|hurt|strangle|punch) (?:yo)?u\b"
        ),
        {"threat": 0.9, "violence": 0.9},
    ),
)
"""What a set does not annotate but a phrase leaves little doubt of, in rows that the set calls toxic."""

SWEARING = re.compile(
    r"(?i)\b(?:mother)?fuck\w{0,5}\b|\b(?:bull)?shit\w{0,4}\b|\bbitch(?:es)?\b|\bass ?holes?\b|\bcunts?\b"
    r"|\bdickheads?\b|\bbastards?\b|\bnigg(?:er|a)s?\b|\bfagg?ots?\b|\bwhores?\b|\bsluts?\b|\bwankers?\b|\bstfu\b"
)
"""English words that make a text profane, whatever else it is; where a set does not annotate profanity."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file, or several alike, of the data folder."""

    name: str
    licence: str
    read: Callable[[Path], Iterator[Record]]
    labels: Mapping[str, Rule]
    language: str = "en"
    weight: float = 1.0
    text: str = "text"
    assumed: Sequence[str] = RARE
    weights: Mapping[str, float] = field(default_factory=dict)
    keep: Rule | None = None

    def rows(self, folder: Path) -> Iterator[Row]:
        """The rows that the data folder's files give."""
        for record in self.read(folder):
            if self.keep is None or self.keep(record):
                yield self.row(record)

    def row(self, record: Record) -> Row:
        """One record by this source's rules."""
        text = _clean(record[self.text] or "")
        labels = {label: float(value) for label, rule in self.labels.items() if (value := rule(record)) is not None}
        weights = {label: self.weight * share for label, share in self.weights.items()}
        if labels.get("toxicity", 1.0) < 0.1:
            for label in HARMS:
                labels.setdefault(label, 0.0)
        if labels.get("toxicity", 0.0) > 0.7:
            for phrase, meant in SILVER:
                if phrase.search(text):
                    labels = {**meant, **labels}
        if "profanity" not in labels and SWEARING.search(text):
            labels["profanity"] = 0.95
        trust = ASSUMED_CLEAN if labels.get("toxicity", 1.0) < 0.1 else ASSUMED
        for label in self.assumed:
            doubt = DOUBT.get(label)
            if label not in labels and not (doubt and doubt.search(text)):
                labels[label] = 0.0
                weights[label] = self.weight * trust
        return Row(text, labels, self.name, self.language, self.weight, weights)


def _clean(text: str) -> str:
    """Without what tells a set from the world: HTML entities, link and user placeholders, the mark of a retweet."""
    text = text.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
    text = re.sub(r"&#\d{1,7};", " ", text)
    text = re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), text)
    text = re.sub(r"(?i)\[user\]|@user\b|<user>|@[a-z0-9_]{2,30}", "@user", text)
    text = re.sub(r"(?i)\[url\]|@url\b|<url>|https?://t\.co/\w{0,12}", "", text)
    return re.sub(r"\A!*\s*rt @user:?", "", text.strip(), flags=re.IGNORECASE).strip()


def column(name: str, value: float = 1.0) -> Rule:
    """The column's number times `value`; unknown where it is no number, or -1."""

    def rule(record: Record) -> float | None:
        try:
            number = float(record[name])
        except (KeyError, TypeError, ValueError):
            return None
        return None if number < 0 else min(number, 1.0) * value

    return rule


def equals(name: str, *wanted: str, value: float = 1.0) -> Rule:
    """`value` where the column is one of these, else 0."""
    return lambda record: value if record[name] in wanted else 0.0


def always(value: float) -> Rule:
    """The same for every record."""
    return lambda _: value


def only(rule: Rule, when: Rule) -> Rule:
    """The rule's value where `when` holds, unknown elsewhere."""
    return lambda record: rule(record) if when(record) else None


def votes(*names: str) -> Rule:
    """The most votes of three among these columns: one is doubtful, two nearly certain."""
    return lambda record: (0.0, 0.5, 0.95, 1.0)[max(int(float(record[name] or 0)) for name in names)]


def has(name: str, part: str, value: float = 1.0) -> Rule:
    """`value` where the column holds this part, parts being joined by commas or underscores, else 0."""
    return lambda record: value if part in re.split(r"[,_]\s*", record[name].lower()) else 0.0


def table(*files: str, **how: Any) -> Callable[[Path], Iterator[Record]]:
    """Delimited files."""
    return lambda folder: (record for file in files for record in read_table(folder / "train" / file, **how))


def lines(file: str, start: str = "train") -> Callable[[Path], Iterator[Record]]:
    """A file of one text a line."""
    return lambda folder: read_lines(folder / start / file)


def json_file(*files: str) -> Callable[[Path], Iterator[Record]]:
    """Files of JSON records."""
    return lambda folder: (record for file in files for record in read_json(folder / "train" / file))


def _stormfront(folder: Path) -> Iterator[Record]:
    yield from table("vicomtech_stormfront/stormfront.csv")(folder)


def _spans(folder: Path) -> Iterator[Record]:
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


def _turku(folder: Path) -> Iterator[Record]:
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


def _russe(folder: Path) -> Iterator[Record]:
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


def _germeval(folder: Path) -> Iterator[Record]:
    yield from table("germeval2018/germeval2018.training.txt", delimiter="\t", quoted=False, header="text coarse fine")(
        folder
    )


def _trolls(folder: Path) -> Iterator[Record]:
    for r in json_file("cyber_trolls/Dataset.json")(folder):
        yield {"text": r["content"], "label": r["annotation"]["label"][0]}


def _quoted(folder: Path) -> Iterator[Record]:
    """The Impermium insults: texts are JSON strings within the CSV."""
    for r in table("cyberbullying_elsafoury/kaggle_parsed_dataset.csv")(folder):
        try:
            text = ast.literal_eval(r["Text"])
        except (SyntaxError, ValueError):
            text = r["Text"].strip('"')
        yield {**r, "text": text}


def _toxigen(kind: str) -> Callable[[Path], Iterator[Record]]:
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


def _sexting(folder: Path) -> Iterator[Record]:
    for r in lines("sexting/sexting_dataset.txt")(folder):
        yield {"text": re.sub(r"\A(?:He|She)\s*:\s*", "", r["text"])}


def _slang(folder: Path) -> Iterator[Record]:
    for r in lines("bengali_hate/bengali_slung_abusive.txt")(folder):
        yield {"text": re.sub(r"\A\w{1,4}[।.]\s*", "", r["text"])}


def _swearwords(folder: Path) -> Iterator[Record]:
    """The words of LDNOOBW, but for English, and for scripts without spaces, whose characters are harmless."""
    for path in sorted((folder / "lexicons/ldnoobw").iterdir()):
        if len(path.name) in (2, 3) and path.name not in ("en", "eo", "ja", "th", "tlh", "zh"):
            for word in read_text(path).splitlines():
                yield {"text": word}


def _youtube(folder: Path) -> Iterator[Record]:
    names = ("01-Psy", "02-KatyPerry", "03-LMFAO", "04-Eminem")
    yield from table(*(f"youtube_spam/Youtube{name}.csv" for name in names))(folder)


_MISOGYNY_FREE = equals("level_1", "Nonmisogynistic")
_KMHAS_HATE = {"1", "4", "5", "6"}

SOURCES: tuple[Source, ...] = (
    Source(
        "jigsaw",
        "comments CC BY-SA 3.0 (Wikipedia), labels CC0 (upstream)",
        table("jigsaw_union/jigsaw_union_6label.csv"),
        {
            "toxicity": column("toxic"),
            "toxicity_severe": column("severe_toxic"),
            "profanity": column("obscene"),
            "insult": column("insult"),
            "threat": column("threat"),
            "violence": column("threat"),
            "identity_attack": column("identity_hate"),
            "hate": column("identity_hate"),
        },
    ),
    Source(
        "jigsaw_binary",
        "comments CC BY-SA 3.0 (Wikipedia), labels CC0 (upstream)",
        table("jigsaw_union/jigsaw_union_binary_only.csv"),
        {"toxicity": column("toxic")},
    ),
    Source(
        "hatemoji",
        "CC BY 4.0",
        table(*(f"hatemoji/HatemojiBuild_{part}.csv" for part in ("train", "validation", "test"))),
        {
            "toxicity": column("label_gold"),
            "hate": column("label_gold"),
            "identity_attack": column("label_gold"),
            "violence": equals("type", "threateninglanguage"),
            "threat": equals("type", "threateninglanguage"),
        },
    ),
    Source(
        "edos",
        "CC0",
        table("edos/data_edos_labelled_aggregated.csv"),
        {
            "hate": equals("label_sexist", "sexist"),
            "identity_attack": equals("label_sexist", "sexist"),
            "toxicity": only(always(0.85), equals("label_sexist", "sexist")),
            "violence": lambda r: 1.0 if r["label_category"].startswith("1.") else None,
        },
        weight=0.7,
    ),
    Source(
        "davidson",
        "MIT",
        table("davidson/data_labeled_data.csv"),
        {
            "toxicity": lambda r: 1 - int(r["neither"]) / int(r["count"]),
            "profanity": lambda r: 1 - int(r["neither"]) / int(r["count"]),
            "hate": lambda r: int(r["hate_speech"]) / int(r["count"]),
            "identity_attack": lambda r: int(r["hate_speech"]) / int(r["count"]),
        },
        text="tweet",
        weight=0.5,
        weights={"toxicity": 0.5},
    ),
    Source(
        "hatexplain",
        "MIT (upstream)",
        table("hatexplain_processed/data_raw_hatexplain_processed.csv"),
        {
            "toxicity": column("label", 0.9),
            "hate": column("label", 0.65),
            "identity_attack": column("label", 0.65),
        },
        text="tweet",
        weight=0.6,
    ),
    Source(
        "implicit_hate",
        "MIT",
        json_file("safenlp/data_implicitHate.json"),
        {"hate": equals("label", "hate", value=0.8), "identity_attack": equals("label", "hate", value=0.8)},
        weight=0.3,
    ),
    Source(
        "toxigen_hate",
        "MIT and CDLA-Permissive-2.0",
        _toxigen("hate"),
        {"hate": always(0.9), "identity_attack": always(0.9), "toxicity": always(0.8)},
        weight=0.4,
    ),
    Source(
        "toxigen_neutral",
        "MIT and CDLA-Permissive-2.0",
        _toxigen("neutral"),
        {"hate": always(0.05), "toxicity": always(0.05), "profanity": always(0)},
        weight=0.6,
    ),
    Source(
        "stormfront",
        "CC BY-SA 3.0",
        _stormfront,
        {"hate": equals("label", "hate"), "identity_attack": equals("label", "hate")},
        keep=lambda r: r["label"] in ("hate", "noHate"),
        weight=0.5,
    ),
    Source(
        "toxic_spans",
        "CC0",
        _spans,
        {
            "toxicity": column("toxic"),
            "insult": lambda r: r.get("Insult", 0.0),
            "profanity": lambda r: r.get("Profane/Obscene", 0.0),
            "identity_attack": lambda r: r.get("Identity based Attack", 0.0),
            "hate": lambda r: r.get("Identity based Attack", 0.0),
            "threat": lambda r: r.get("Threat", 0.0),
            "violence": lambda r: r.get("Threat", None),
        },
        weight=0.5,
    ),
    Source(
        "semeval_spans",
        "CC0",
        table("toxic_spans/SemEval2021_data_tsd_train.csv", "toxic_spans/SemEval2021_data_tsd_trial.csv"),
        {"toxicity": lambda r: 0.95 if len(r["spans"]) > 2 else None},
        weight=0.5,
    ),
    Source(
        "context_toxicity",
        "Apache-2.0",
        table("context_toxicity/data_CAT_LARGE_gc.csv", "context_toxicity/data_CAT_LARGE_gn.csv"),
        {"toxicity": column("label"), "profanity": lambda r: 0.0 if r["label"] == "0" else None},
    ),
    Source(
        "civil_balanced",
        "CC0 (upstream)",
        table("civil_sample_houmamelte/balanced_dataset.csv"),
        {"toxicity": column("target", 0.9)},
        text="comment_text",
        weight=0.4,
    ),
    Source(
        "civil_threat",
        "MIT; comments CC0 (upstream)",
        table("civil_threat_safe_aayan/data_threat.csv"),
        {"threat": always(0.6), "violence": always(0.6)},
        weight=0.2,
    ),
    Source(
        "civil_safe",
        "MIT; comments CC0 (upstream)",
        table("civil_threat_safe_aayan/data_safe.csv"),
        {"toxicity": always(0.0), "profanity": always(0.0)},
        weight=0.7,
    ),
    Source(
        "insults",
        "CC BY 4.0 (upstream)",
        _quoted,
        {"toxicity": column("oh_label"), "insult": column("oh_label")},
        weight=0.7,
    ),
    Source(
        "waseem",
        "CC BY 4.0 (upstream)",
        table("cyberbullying_elsafoury/twitter_parsed_dataset.csv"),
        {
            "hate": lambda r: 0.8 if r["Annotation"] in ("sexism", "racism") else 0.0,
            "identity_attack": lambda r: 0.8 if r["Annotation"] in ("sexism", "racism") else 0.0,
            "toxicity": lambda r: 0.7 if r["Annotation"] in ("sexism", "racism") else 0.05,
        },
        text="Text",
        weight=0.3,
        keep=lambda r: r["Annotation"] in ("none", "sexism", "racism"),
    ),
    Source(
        "youtube_bullying",
        "CC BY 4.0 (upstream)",
        table("cyberbullying_elsafoury/youtube_parsed_dataset.csv"),
        {"toxicity": column("oh_label", 0.9)},
        text="Text",
        weight=0.3,
    ),
    Source(
        "cyber_trolls",
        "CC0 (upstream)",
        _trolls,
        {"toxicity": column("label", 0.8)},
        weight=0.2,
    ),
    Source(
        "ai_automod",
        "MIT",
        table("ai_automod/data_train.csv"),
        {"toxicity": column("rating")},
        text="content",
    ),
    Source(
        "online_misogyny",
        "MIT",
        table("online_misogyny/data_final_labels.csv"),
        {
            "hate": equals("level_1", "Misogynistic"),
            "identity_attack": equals("level_1", "Misogynistic"),
            "toxicity": only(always(0.85), equals("level_1", "Misogynistic")),
        },
        text="body",
        weight=0.7,
    ),
    *(
        Source(
            f"mlma_{language}",
            "MIT",
            table(f"mlma/hate_speech_mlma__hate_speech_mlma_{file}.csv"),
            {
                "hate": has("sentiment", "hateful", 0.8),
                "toxicity": lambda r: 0.05 if r["sentiment"] == "normal" else 0.8,
                "insult": lambda r: 0.0 if r["sentiment"] == "normal" else None,
            },
            language=language,
            text="tweet",
            weight=0.4,
        )
        for language, file in (("en", "en_dataset_with_stop_words"), ("fr", "fr_dataset"), ("ar", "ar_dataset"))
    ),
    Source(
        "madlibs",
        "CC BY 4.0",
        table("madlibs/archive_unintended_ml_bias_eval_datasets_bias_madlibs_77k.csv"),
        {"toxicity": lambda r: float(r["Label"] == "BAD")},
        text="Text",
        weight=0.3,
        keep=lambda r: digest(r["Text"])[0] < 20,
    ),
    Source(
        "sexting",
        "MIT",
        _sexting,
        {"sexual": always(1.0), "toxicity": always(0.1), "hate": always(0.0), "threat": always(0.0)},
        assumed=("self_harm", "spam"),
        weight=1.5,
    ),
    Source(
        "pickup_lines",
        "Apache-2.0",
        lines("pickup_lines_wrannaman/pickup_train_lines_with_returns.txt"),
        {"flirtation": always(1.0), "toxicity": always(0.05), "self_harm": always(0.0)},
        weight=1.0,
        weights={"toxicity": 0.5},
        assumed=("spam",),
    ),
    Source(
        "germeval2018",
        "CC BY 4.0",
        _germeval,
        {
            "toxicity": equals("coarse", "OFFENSE"),
            "profanity": lambda r: {"PROFANITY": 1.0, "OTHER": 0.0}.get(r["fine"].strip()),
            "insult": lambda r: {"INSULT": 1.0, "ABUSE": None, "PROFANITY": 0.0}.get(r["fine"].strip(), 0.0),
            "hate": lambda r: float(r["fine"].strip() == "ABUSE"),
        },
        language="de",
    ),
    Source(
        "told_br",
        "CC BY-SA 4.0",
        table("told_br/ToLD-BR.csv"),
        {
            "toxicity": votes("homophobia", "obscene", "insult", "racism", "misogyny", "xenophobia"),
            "profanity": votes("obscene"),
            "insult": votes("insult"),
            "hate": votes("homophobia", "racism", "misogyny", "xenophobia"),
            "identity_attack": votes("homophobia", "racism", "misogyny", "xenophobia"),
        },
        language="pt",
    ),
    Source(
        "constraint_hindi",
        "MIT",
        table("constraint_hindi/Dataset_train.csv", "constraint_hindi/Dataset_valid.csv"),
        {
            "hate": has("Labels Set", "hate"),
            "toxicity": lambda r: (
                1.0 if re.search("hate|offensive", r["Labels Set"]) else has("Labels Set", "defamation", 0.6)(r)
            ),
            "profanity": lambda r: None if "offensive" in r["Labels Set"] else 0.0,
        },
        language="hi",
        text="Post",
    ),
    Source(
        "bengali_types",
        "MIT",
        table("bengali_hate/bengali_hate_v2.0.csv"),
        {"toxicity": always(0.9), "hate": lambda r: None if r["label"] == "Personal" else 0.8},
        language="bn",
        weight=0.5,
    ),
    Source(
        "bengali_slang",
        "MIT",
        _slang,
        {"profanity": always(1.0), "toxicity": always(0.9), "insult": always(0.8)},
        language="bn",
    ),
    Source(
        "bengali_comments",
        "MIT",
        table("bengali_hate_naurosromim/val.csv"),
        {"toxicity": column("hate speech"), "hate": column("hate speech", 0.8)},
        language="bn",
        text="sentence",
    ),
    Source(
        "cold",
        "Apache-2.0",
        table("cold/COLDataset_train.csv", "cold/COLDataset_dev.csv"),
        {
            "toxicity": column("label"),
            "hate": column("label", 0.7),
            "identity_attack": column("label", 0.7),
        },
        language="zh",
        text="TEXT",
        weight=0.7,
    ),
    Source(
        "kmhas",
        "CC BY-SA 4.0 (upstream)",
        table("kmhas/data_kmhas_valid.txt", delimiter="\t", quoted=False),
        {
            "toxicity": lambda r: float("8" not in r["label"].split(",")),
            "hate": lambda r: float(bool(_KMHAS_HATE & set(r["label"].split(",")))),
            "identity_attack": lambda r: float(bool(_KMHAS_HATE & set(r["label"].split(",")))),
            "profanity": lambda r: float("7" in r["label"].split(",")),
        },
        language="ko",
        text="document",
    ),
    Source(
        "korean_hate",
        "CC BY-SA 4.0",
        table("korean_hate_kocohub/labeled_train.tsv", delimiter="\t", quoted=False),
        {
            "toxicity": lambda r: {"hate": 1.0, "offensive": 0.8, "none": 0.0}.get(r["hate"]),
            "hate": lambda r: {"hate": 0.6, "offensive": 0.15, "none": 0.0}.get(r["hate"]),
            "insult": lambda r: {"hate": 0.8, "none": 0.0}.get(r["hate"]),
        },
        language="ko",
        text="comments",
    ),
    Source(
        "korean_curse",
        "MIT",
        table("korean_curse/dataset.txt", delimiter="|", quoted=False, header="text label"),
        {"profanity": column("label"), "toxicity": column("label", 0.9)},
        language="ko",
    ),
    Source(
        "turku",
        "CC BY-SA 4.0 (upstream)",
        _turku,
        {
            "toxicity": column("toxicity"),
            "toxicity_severe": column("severe_toxicity"),
            "profanity": column("obscene"),
            "threat": column("threat"),
            "violence": column("threat"),
            "insult": column("insult"),
            "identity_attack": column("identity_attack"),
            "hate": column("identity_attack"),
        },
        language="fi",
        weight=0.6,
    ),
    Source(
        "russe_detox",
        "OpenRAIL++ (upstream); word list MIT",
        _russe,
        {
            "toxicity": column("toxic"),
            "profanity": lambda r: r["mat"],
            "insult": lambda r: 0.0 if r["toxic"] == 0.0 else None,
        },
        language="ru",
    ),
    Source(
        "swearwords",
        "CC BY 4.0",
        _swearwords,
        {"profanity": always(0.85), "toxicity": always(0.65)},
        language="many",
        weight=0.3,
        weights={"toxicity": 0.4},
        assumed=("self_harm", "spam", "flirtation"),
    ),
    Source(
        "sms_spam",
        "CC BY 4.0 (upstream)",
        table("sms_spam/SMSSpamCollection", delimiter="\t", quoted=False),
        {"spam": equals("Label", "spam"), "hate": always(0.0), "identity_attack": always(0.0)},
        text="SMS",
        assumed=("self_harm", "threat", "violence", "sexual", "flirtation"),
    ),
    Source(
        "smishing",
        "CC BY 4.0 (upstream)",
        table("smishing_5971/Dataset_5971.csv"),
        {
            "spam": lambda r: float(r["LABEL"].lower() in ("spam", "smishing")),
            "hate": always(0.0),
            "identity_attack": always(0.0),
        },
        text="TEXT",
        assumed=("self_harm", "threat", "violence", "sexual", "flirtation"),
    ),
    Source(
        "youtube_spam",
        "CC BY 4.0 (upstream)",
        _youtube,
        {"spam": column("CLASS")},
        text="CONTENT",
        assumed=("self_harm", "sexual", "flirtation"),
    ),
    Source(
        "presidio",
        "MIT",
        json_file(
            "presidio_research/tests_data_generated_large.json", "presidio_research/tests_data_generated_small.json"
        ),
        {label: always(0.0) for label in LABELS},
        text="full_text",
        weight=0.3,
        assumed=(),
    ),
)
"""Every set that is trained on, most trusted first: where two know the same text, the earlier one is believed."""


def written(folder: Path) -> Iterator[Row]:
    """The examples that were written for this model: `written/*.jsonl` beside this file."""
    for path in sorted(folder.glob("*.jsonl")):
        for record in read_json(path):
            labels = {label: float(value) for label, value in record["labels"].items()}
            yield Row(record["text"], labels, f"written_{path.stem}", record.get("language", "en"), WRITTEN)
