"""The label table: what each column of each data set says of the model's labels.

Licences marked (upstream) are not stated by the copy that was used: they are those of the original publisher, from
general knowledge.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from training import readers
from training.calm import calmed
from training.reading import read_json
from training.rows import FIRST, Row, digest
from training.rules import IN_LANGUAGES, WRITTEN, Source, always, column, equals, has, only, votes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_KMHAS_HATE = {"1", "4", "5", "6"}

SOURCES: tuple[Source, ...] = (
    Source(
        "jigsaw",
        "comments CC BY-SA 3.0 (Wikipedia), labels CC0 (upstream)",
        readers.table("jigsaw_union/jigsaw_union_6label.csv"),
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
        readers.table("jigsaw_union/jigsaw_union_binary_only.csv"),
        {"toxicity": column("toxic")},
    ),
    Source(
        "hatemoji",
        "CC BY 4.0",
        readers.table(*(f"hatemoji/HatemojiBuild_{part}.csv" for part in ("train", "validation", "test"))),
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
        readers.table("edos/data_edos_labelled_aggregated.csv"),
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
        readers.table("davidson/data_labeled_data.csv"),
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
        readers.table("hatexplain_processed/data_raw_hatexplain_processed.csv"),
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
        readers.json_file("safenlp/data_implicitHate.json"),
        {"hate": equals("label", "hate", value=0.8), "identity_attack": equals("label", "hate", value=0.8)},
        weight=0.3,
    ),
    Source(
        "toxigen_hate",
        "MIT and CDLA-Permissive-2.0",
        readers.toxigen("hate"),
        {"hate": always(0.9), "identity_attack": always(0.9), "toxicity": always(0.8)},
        weight=0.4,
    ),
    Source(
        "toxigen_neutral",
        "MIT and CDLA-Permissive-2.0",
        readers.toxigen("neutral"),
        {"hate": always(0.05), "toxicity": always(0.05), "profanity": always(0)},
        weight=0.6,
    ),
    Source(
        "stormfront",
        "CC BY-SA 3.0",
        readers.table("vicomtech_stormfront/stormfront.csv"),
        {"hate": equals("label", "hate"), "identity_attack": equals("label", "hate")},
        keep=lambda r: r["label"] in ("hate", "noHate"),
        weight=0.5,
    ),
    Source(
        "toxic_spans",
        "CC0",
        readers.spans,
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
        readers.table("toxic_spans/SemEval2021_data_tsd_train.csv", "toxic_spans/SemEval2021_data_tsd_trial.csv"),
        {"toxicity": lambda r: 0.95 if len(r["spans"]) > 2 else None},
        weight=0.5,
    ),
    Source(
        "context_toxicity",
        "Apache-2.0",
        readers.table("context_toxicity/data_CAT_LARGE_gc.csv", "context_toxicity/data_CAT_LARGE_gn.csv"),
        {"toxicity": column("label"), "profanity": lambda r: 0.0 if r["label"] == "0" else None},
    ),
    Source(
        "civil_balanced",
        "CC0 (upstream)",
        readers.table("civil_sample_houmamelte/balanced_dataset.csv"),
        {"toxicity": column("target", 0.9)},
        text="comment_text",
        weight=0.4,
    ),
    Source(
        "civil_threat",
        "MIT; comments CC0 (upstream)",
        readers.table("civil_threat_safe_aayan/data_threat.csv"),
        {"threat": always(0.6), "violence": always(0.6)},
        weight=0.2,
    ),
    Source(
        "civil_safe",
        "MIT; comments CC0 (upstream)",
        readers.table("civil_threat_safe_aayan/data_safe.csv"),
        {"toxicity": always(0.0), "profanity": always(0.0)},
        weight=0.7,
    ),
    Source(
        "insults",
        "CC BY 4.0 (upstream)",
        readers.quoted,
        {"toxicity": column("oh_label"), "insult": column("oh_label")},
        weight=0.7,
    ),
    Source(
        "waseem",
        "CC BY 4.0 (upstream)",
        readers.table("cyberbullying_elsafoury/twitter_parsed_dataset.csv"),
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
        readers.table("cyberbullying_elsafoury/youtube_parsed_dataset.csv"),
        {"toxicity": column("oh_label", 0.9)},
        text="Text",
        weight=0.3,
    ),
    Source(
        "cyber_trolls",
        "CC0 (upstream)",
        readers.trolls,
        {"toxicity": column("label", 0.8)},
        weight=0.2,
    ),
    Source(
        "ai_automod",
        "MIT",
        readers.table("ai_automod/data_train.csv"),
        {"toxicity": column("rating")},
        text="content",
    ),
    Source(
        "online_misogyny",
        "MIT",
        readers.table("online_misogyny/data_final_labels.csv"),
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
            readers.table(f"mlma/hate_speech_mlma__hate_speech_mlma_{file}.csv"),
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
        readers.table("madlibs/archive_unintended_ml_bias_eval_datasets_bias_madlibs_77k.csv"),
        {"toxicity": lambda r: float(r["Label"] == "BAD")},
        text="Text",
        weight=0.3,
        keep=lambda r: digest(r["Text"])[0] < 20,
    ),
    Source(
        "sexting",
        "MIT",
        readers.sexting,
        {"sexual": always(1.0), "toxicity": always(0.1), "hate": always(0.0), "threat": always(0.0)},
        assumed=("self_harm", "spam"),
        weight=1.5,
    ),
    Source(
        "pickup_lines",
        "Apache-2.0",
        readers.lines("pickup_lines_wrannaman/pickup_train_lines_with_returns.txt"),
        {"flirtation": always(1.0), "toxicity": always(0.05), "self_harm": always(0.0)},
        weight=1.0,
        weights={"toxicity": 0.5},
        assumed=("spam",),
    ),
    Source(
        "germeval2018",
        "CC BY 4.0",
        readers.germeval,
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
        readers.table("told_br/ToLD-BR.csv"),
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
        readers.table("constraint_hindi/Dataset_train.csv", "constraint_hindi/Dataset_valid.csv"),
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
        readers.table("bengali_hate/bengali_hate_v2.0.csv"),
        {"toxicity": always(0.9), "hate": lambda r: None if r["label"] == "Personal" else 0.8},
        language="bn",
        weight=0.5,
    ),
    Source(
        "bengali_slang",
        "MIT",
        readers.slang,
        {"profanity": always(1.0), "toxicity": always(0.9), "insult": always(0.8)},
        language="bn",
    ),
    Source(
        "bengali_comments",
        "MIT",
        readers.table("bengali_hate_naurosromim/val.csv"),
        {"toxicity": column("hate speech"), "hate": column("hate speech", 0.8)},
        language="bn",
        text="sentence",
    ),
    Source(
        "cold",
        "Apache-2.0",
        readers.table("cold/COLDataset_train.csv", "cold/COLDataset_dev.csv"),
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
        readers.table("kmhas/data_kmhas_valid.txt", delimiter="\t", quoted=False),
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
        readers.table("korean_hate_kocohub/labeled_train.tsv", delimiter="\t", quoted=False),
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
        readers.table("korean_curse/dataset.txt", delimiter="|", quoted=False, header="text label"),
        {"profanity": column("label"), "toxicity": column("label", 0.9)},
        language="ko",
    ),
    Source(
        "turku",
        "CC BY-SA 4.0 (upstream)",
        readers.turku,
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
        readers.russe,
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
        readers.swearwords,
        {"profanity": always(0.85), "toxicity": always(0.65)},
        language="many",
        weight=0.3,
        weights={"toxicity": 0.4},
        assumed=("self_harm", "spam", "flirtation"),
    ),
    Source(
        "sms_spam",
        "CC BY 4.0 (upstream)",
        readers.table("sms_spam/SMSSpamCollection", delimiter="\t", quoted=False),
        {"spam": equals("Label", "spam"), "hate": always(0.0), "identity_attack": always(0.0)},
        text="SMS",
        assumed=("self_harm", "threat", "violence", "sexual", "flirtation"),
    ),
    Source(
        "smishing",
        "CC BY 4.0 (upstream)",
        readers.table("smishing_5971/Dataset_5971.csv"),
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
        readers.youtube,
        {"spam": column("CLASS")},
        text="CONTENT",
        assumed=("self_harm", "sexual", "flirtation"),
    ),
    Source(
        "presidio",
        "MIT",
        readers.json_file(
            "presidio_research/tests_data_generated_large.json", "presidio_research/tests_data_generated_small.json"
        ),
        {label: always(0.0) for label in FIRST},
        text="full_text",
        weight=0.3,
        assumed=(),
    ),
)
"""Every set that is trained on, most trusted first: where two know the same text, the earlier one is believed."""


def written(folder: Path) -> Iterator[Row]:
    """The examples that were written for this model: `written/*.jsonl` beside this file."""
    for path in sorted(folder.glob("*.jsonl")):
        weight = IN_LANGUAGES if path.stem == "hate_languages" else WRITTEN
        for record in read_json(path):
            labels = {label: float(value) for label, value in record["labels"].items()}
            yield calmed(Row(record["text"], labels, f"written_{path.stem}", record.get("language", "en"), weight))
