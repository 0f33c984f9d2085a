"""The model card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from training import identities, plain
from training.augment import BABBLE_WEIGHT
from training.distil import ALONE, TRUST
from training.rules import ASSUMED, ASSUMED_CLEAN, IN_LANGUAGES, WRITTEN
from training.table import SOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_OURS = "Apache-2.0, written for this model"

_TEMPLATE = """\
# text-fast {version}

Gives a text twelve calibrated probabilities: {labels}. Made by `cd models && python -m training --data FOLDER`;
`metrics.json` beside this file has every figure, also by data set.

## What it is

- Lower-cased words, cut into word pieces ({pieces} of them, `vocab.txt`) by greedy longest match, each word by itself.
- A static embedding of {width} numbers a piece (int8, one scale a piece), a convolution over three pieces with
  {features} features, the largest of each feature and the mean embedding, one hidden layer, a sigmoid a label.
- Windows of {window} pieces, one every {stride}; a long text's score is the largest of its windows'.
- {passes} passes of skip-gram over the train texts, then {epochs} passes over {train} labelled rows (disturbed
  copies included), seed {seed}. The vocabulary's trainer breaks ties in no fixed order, so that another run differs in
  some pieces.
- Sizes: {sizes} bytes.

{teacher}It reads what stands together within three pieces and which words there are, not who says what of whom:
negation, irony, quotation and reported speech are beyond it. It is the first of two tiers.

## Figures

Rows that were held apart by a hash of their normalized text (10 % validation, 10 % test); these are the test rows,
scored by the runtime. AUC and AP leave out rows of which annotators were unsure. F1, ECE (15 bins) and the curve are of
the natural mixture: those rows with the weights of the label table, positives of a label weighted up to 3 % where
there are fewer.

{figures}

Languages that count as known (toxicity AUC of 0.75 or more on the validation rows): {known}.

ROC-AUC by language (where there are ten of either kind):

{languages}

Toxicity on the Jigsaw rows alone: {jigsaw}; of these, on the rows with all six labels {jigsaw_six}.

Calibration of toxicity, a row a tenth: mean probability, share that was toxic, share of the texts.

{curve}

Thresholds: 0.5, unless on the validation mixture another from 0.4 to 0.6 has an F1 better by 0.02 or more.

Of {probes[asked]} short messages written as a check (`training/probes.tsv`; those that stand among the written examples
or are made by a grammar are left out), {probes[high]} labels ought to reach 0.5 and {probes[missed]} do not;
{probes[low]} ought to stay below and {probes[false]} do not.

Speed, one core, microseconds a message of 150 to 250 characters: {single_us} alone, {batch_us} in batches of 64.
100,000 characters: English {prose_100k_ms} ms, one letter repeated {repeat_100k_ms} ms, Chinese characters
{cjk_100k_ms} ms.

## Data

Texts that stand in a set kept for evaluation were removed. False-positive rates on those sets were looked at once while
the data was gathered, and neutral sentences, mostly Japanese and Finnish, were written after that; no threshold was set
on them. Where sets hold the same text, the earlier in this table
is believed. Labels that a set does not annotate are unknown and masked in the loss. "Assumed 0" labels count as 0
with {assumed:.0%} of the row's weight ({clean:.0%} in texts that are not toxic) unless a word in the text speaks
against it; harms other than toxicity count as 0 where a set says that a text is not toxic; threats and calls to
suicide of a few plain forms count as such in texts that a set calls toxic, and a few dozen English swear words as
profanity where a set does not annotate it. The table itself is `training/table.py`, the rules for all sets are in
`training/rules.py`. `training/identities.py` makes sentences about groups of people, kind and hateful, the same for
every group, and `training/plain.py` plain ways of saying each thing and harmless sentences of the same words, both
for training only; `training/augment.py` disturbs a quarter of the training texts and makes texts that say nothing.

{sources}

Licences marked (upstream) are not stated by the copy that was used; they are the original publisher's, from general
knowledge. The written examples are part of this repository and under its licence. Left out although at hand: what is
research-only or non-commercial, and posts of Reddit users on suicide, of which no licence is stated.

## What it is weak at

- Languages other than those above: it knows their swear words from a list, a few dozen neutral sentences, and little
  else. Spanish, Italian, French, Dutch and Polish are known above all from one to two thousand written examples each,
  half of them about hate, and none read by a native; Finnish from a few hundred forum comments.
- self_harm, sexual, flirtation, violence: two to three thousand written examples each, mostly English. Their written
  test rows are as hard on purpose as the written negatives; plain forms are found, oblique ones often not.
- Hate that is implied, and hate speech quoted in order to condemn it.
- Annotators' biases of the sets: identity terms and African-American English raise scores more than they should.
"""


_TEACHER = f"""\
English rows, and those in other languages that `text-accurate` knows, were labelled by that model too: its
probability counts {TRUST:.0%} where annotators gave a label, and stands alone, with {ALONE:.0%} of the row's weight,
where they did not.

"""


def write(figures: Mapping[str, Any], version: str) -> str:
    """The card's text."""
    speed, settings = figures["speed"], figures["settings"]
    return _TEMPLATE.format(
        version=version,
        labels=", ".join(figures["labels"]),
        **settings,
        train=figures["rows"]["train"],
        teacher=_TEACHER if figures["teacher"] else "",
        known=", ".join(figures["languages_known"]),
        sizes=", ".join(f"{name} {size:,}" for name, size in figures["sizes"].items()),
        figures=table(
            ("label", "AUC", "AP", "positive", "negative", "threshold", "F1", "ECE"),
            (
                (label, *(f.get(k, "") for k in ("auc", "ap", "positive", "negative", "threshold", "f1", "ece")))
                for label, f in figures["labels"].items()
            ),
        ),
        languages=table(
            ("language", "label", "AUC", "AP", "positive", "negative"),
            (
                (language, label, f["auc"], f["ap"], f["positive"], f["negative"])
                for language, labels in figures["languages"].items()
                for label, f in labels.items()
            ),
        ),
        jigsaw=listed(figures["jigsaw"]),
        jigsaw_six=listed(figures["sources"]["jigsaw"]["toxicity"]),
        curve=table(("probability", "toxic", "texts"), figures["labels"]["toxicity"]["curve"]),
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


def sources() -> str:
    """The table of the sets that are trained on, with their licences."""
    return table(
        ("set", "language", "labels", "assumed 0", "weight", "licence"),
        [(s.name, s.language, ", ".join(s.labels), ", ".join(s.assumed), s.weight, s.licence) for s in SOURCES]
        + [
            ("written", "mostly en", "named row by row", "", WRITTEN, _OURS),
            ("written_hate_languages", "ten others", "named row by row", "", IN_LANGUAGES, _OURS),
            ("identities", "en", "all", "", identities.WEIGHT, _OURS),
            ("plain", "en", "row by row", "", plain.WEIGHT, _OURS),
            ("babble", "none", "all 0", "", BABBLE_WEIGHT, _OURS),
        ],
    )


def listed(figures: Mapping[str, object]) -> str:
    """Figures in one line."""
    return ", ".join(f"{name} {value}" for name, value in figures.items())


def table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Rows as Markdown."""
    head = [str(cell) for cell in head]
    body = [[str(cell) for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *body))
