"""The model card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from training import identities, natural, plain
from training.augment import BABBLE_WEIGHT
from training.held import MOST, MOST_ENGLISH, MOST_ORDINARY
from training.rows import ACTING
from training.rules import ASSUMED, ASSUMED_CLEAN, IN_LANGUAGES, WRITTEN
from training.table import SOURCES
from training.table_second import SECOND

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_OURS = "Apache-2.0, written for this model"

_TEMPLATE = """\
# text-fast {version}

Gives a text {count} calibrated probabilities: {labels}. Made by the commands in `training/__main__.py`; `metrics.json`
beside this file has every figure, also by data set.

## What it is

- Lower-cased words, cut into word pieces ({pieces} of them, `vocab.txt`) by greedy longest match, each word by itself.
- A static embedding of {width} numbers a piece (int8, one scale a piece), a convolution over three pieces with
  {features} features, the largest of each feature and the mean embedding, one hidden layer, a sigmoid a label.
- Windows of {window} pieces, one every {stride}; a long text's score is the largest of its windows'.
- Begun with version 4.1, whose pieces and weights it keeps; new pieces start where a linear map of the accurate model's
  embeddings puts them. Then {epochs} passes over {train} rows, seed {seed}: a sample of every set below, in which each
  kind of row has a fixed share. The other side of a pair has the labels that the English model gives the English side;
  English rows of public sets have half theirs, half what version 4.1 said. The vocabulary's trainer breaks ties in no
  fixed order, so that another run differs in some pieces.
- Sizes: {sizes} bytes.

It reads what stands together within three pieces and which words there are, not who says what of whom: negation, irony,
quotation and reported speech are beyond it. It is the first of two tiers.

## Figures

Rows that were held apart by a hash of their normalized text (10 % validation, 10 % test; of a pair by its English side
too), at most {most} of a set and language; these are the test rows, scored by the runtime. AUC and AP leave out rows of
which annotators were unsure. F1, ECE (15 bins) and the curve are of the natural mixture: those rows with the weights of
the label table, positives of a label weighted up to 5 % where there are fewer. Thresholds are 0.5: calibration moved
the probabilities down until at most .2 % of ordinary English validation rows, and .5 % of those in other languages, are
acted on by the labels that flag by default. So they are lower than the share of positives.

{figures}

In English alone:

{english}

{support}

Toxicity on the Jigsaw rows alone: {jigsaw}.

Of {probes[asked]} short messages written as a check (`training/probes.tsv`; those that stand among the written examples
or are made by a grammar are left out), {probes[high]} labels ought to reach 0.5 and {probes[missed]} do not;
{probes[low]} ought to stay below and {probes[false]} do not.

Speed, one core, microseconds a message of 150 to 250 characters: {single_us} alone, {batch_us} in batches of 64.
100,000 characters: English {prose_100k_ms} ms, one letter repeated {repeat_100k_ms} ms, Chinese characters
{cjk_100k_ms} ms. Measured on a machine that did other work beside it.

## Data

Texts that stand in a set kept for evaluation were removed, as were those of `ntrex_news`, on which
`benchmarks.ordinary` measures, three kinds of `ordinary_english` and two sources of `prompt_injection`. Where sets hold
the same text, the earlier in this table is believed. Labels that a set does not annotate are unknown and masked in the
loss. "Assumed 0" labels count as 0 with {assumed:.0%} of the row's weight ({clean:.0%} in texts that are not toxic)
unless a word in the text speaks against it; a text that is calm by the labels it has is also taken for none of the
others, but for topics and feelings (`training/calm.py`); ordinary text is 0 by all of them, but where it has a word of
the lists of oaths. The tables are `training/table.py` and `training/table_second.py`.

{sources}

Licences marked (upstream) are not stated by the copy that was used; they are the original publisher's, from general
knowledge. The written examples are part of this repository and under its licence; no native speaker read those in other
languages than English, and no sample was labelled twice. Left out although at hand: what is research-only or
non-commercial, and posts of Reddit users on suicide, of which no licence is stated.

## What it is weak at

- Languages in which the table above lists little: what is not listed is scored, but does not flag by default.
- Labels that only written rows have (grooming, illicit, adult, crypto, self_promotion, political, religion,
  self_harm_intent, mention): their figures are of rows by the same authors as those trained on, and flatter it.
- Hate that is implied, and hate speech quoted in order to condemn it.
- Annotators' biases of the sets: identity terms and African-American English raise scores more than they should.
"""


def write(figures: Mapping[str, Any], version: str) -> str:
    """The card's text."""
    speed, settings = figures["speed"], figures["settings"]
    return _TEMPLATE.format(
        version=version,
        count=len(figures["labels"]),
        labels=", ".join(figures["labels"]),
        **settings,
        train=figures["rows"]["train"],
        sizes=", ".join(f"{name} {size:,}" for name, size in figures["sizes"].items()),
        most=", ".join(map(str, (MOST, MOST_ENGLISH, MOST_ORDINARY))) + " (English; ordinary)",
        figures=table(
            ("label", "AUC", "AP", "positive", "negative", "F1", "ECE"),
            (
                (label, *(f.get(k, "") for k in ("auc", "ap", "positive", "negative", "f1", "ece")))
                for label, f in figures["labels"].items()
            ),
        ),
        english=table(
            ("label", "AUC", "AP", "positive", "negative"),
            ((label, f["auc"], f["ap"], f["positive"], f["negative"]) for label, f in figures["english"].items()),
        ),
        support=support(figures),
        jigsaw=listed(figures["jigsaw"]),
        probes=figures["probes"],
        single_us=speed["single_us"],
        batch_us=speed["batch_us"],
        prose_100k_ms=speed["prose_100k_ms"],
        repeat_100k_ms=speed["repeat_100k_ms"],
        cjk_100k_ms=speed["cjk_100k_ms"],
        assumed=ASSUMED,
        clean=ASSUMED_CLEAN,
        sources=sources(),
    )


def support(figures: Mapping[str, Any]) -> str:
    """What each language supports, and the table of the labels that flag by default, by language."""
    ordinary, supported = figures["ordinary"], figures["supported"]
    listing = table(
        ("language", "ordinary test rows acted on, %", "labels that may flag"),
        ((language, ordinary.get(language, ""), ", ".join(labels) or "none") for language, labels in supported.items()),
    )
    cells = table(
        ("language", *ACTING),
        (
            (language, *(_cell(labels.get(label), label in supported[language]) for label in ACTING))
            for language, labels in figures["support"].items()
        ),
    )
    return f"""\
A label may flag in a language if its AUC there is .85 or more, its own false alarms on ordinary test rows are at most
.7 % (.3 % in English), and 50 rows or more have it that people labelled or wrote.

{listing}

AUC / false alarms in % / caught in % of the labels that flag by default; * if supported:

{cells}"""


def _cell(found: Mapping[str, float] | None, able: bool) -> str:
    if found is None:
        return ""
    return f"{found['auc']:.3f} / {found['false']} / {found['caught']}{' *' if able else ''}"


def sources() -> str:
    """The table of the sets that are trained on, with their licences."""
    return table(
        ("set", "language", "labels", "assumed 0", "weight", "licence"),
        [(s.name, s.language, ", ".join(s.labels), ", ".join(s.assumed), s.weight, s.licence) for s in SOURCES]
        + [(s.name, s.language, ", ".join(s.labels), ", ".join(s.assumed), s.weight, s.licence) for s in SECOND]
        + [(name, language, what, "", weight, licence) for name, language, what, weight, licence in _UNLABELLED]
        + [
            ("written", "mostly en", "named row by row", "", WRITTEN, _OURS),
            ("written_hate_languages", "ten others", "named row by row", "", IN_LANGUAGES, _OURS),
            ("natural", "en and thirty others", "all", "", natural.WEIGHT, _OURS),
            ("glossary", "thirty", "as its English word", "", 1.0, _OURS),
            ("identities", "en", "all", "", identities.WEIGHT, _OURS),
            ("plain", "en", "row by row", "", plain.WEIGHT, _OURS),
            ("babble", "none", "all 0", "", BABBLE_WEIGHT, _OURS),
        ],
    )


_PAIRS = "as its English side"
_UNLABELLED = (
    ("tatoeba_pairs", "99", _PAIRS, 0.3, "CC BY 2.0 FR (upstream)"),
    ("xed_subtitles", "36", f"{_PAIRS}; positive, negative", 0.3, "CC BY 4.0"),
    ("tico19_pairs", "24", "ordinary", 1.0, "CC0"),
    ("xquad_questions", "11", "ordinary", 1.0, "CC BY-SA 4.0"),
    ("nusax_pairs", "id and ten others", "ordinary", 1.0, "CC BY-SA 4.0"),
    ("ud_ordinary", "37", "ordinary", 1.0, "CC BY-SA 4.0, CC BY 4.0 (by treebank)"),
    ("ua_gec", "uk", "ordinary", 1.0, "CC BY 4.0"),
    ("xpersona", "en fr id it ja ko zh", "ordinary", 1.0, "MIT"),
    ("ordinary_english", "en", "ordinary", 1.0, "CC BY 4.0, CC BY 3.0, CC BY-SA 4.0, MIT, Unlicense (by kind)"),
    ("ordinary_prompts", "en zh", "prompt_injection", 1.0, "MIT, Apache-2.0"),
    ("prompt_injection", "en and about 17 others", "prompt_injection", 1.0, "MIT, Apache-2.0"),
    ("afrisenti", "12", "positive, negative", 0.4, "CC BY 4.0 (upstream)"),
    ("dravidian", "kn ml", "toxicity, hate, harassment", 0.4, "CC BY 4.0 (upstream)"),
    ("roman_urdu", "ur", "toxicity, hate, profanity", 0.4, "MIT"),
    ("multijail", "ten", "spam, prompt_injection, grooming", 0.3, "MIT"),
)


def listed(figures: Mapping[str, object]) -> str:
    """Figures in one line."""
    return ", ".join(f"{name} {value}" for name, value in figures.items())


def table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Rows as Markdown."""
    head = [str(cell) for cell in head]
    body = [[str(cell) for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *body))
