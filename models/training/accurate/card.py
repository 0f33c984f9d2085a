"""The accurate model's card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from training.accurate.dataset import LENGTH, REVIEW
from training.card import listed, sources, table

if TYPE_CHECKING:
    from collections.abc import Mapping

_TEMPLATE = """\
# text-accurate {version}

Gives a text twelve calibrated probabilities: {labels}. Made by
`cd models && python -m training --model accurate --data FOLDER`; `metrics.json` beside this file has every figure,
also by data set. It is the second of two tiers: the first, `text-fast`, scores every text, and this one reads those
that the first leaves uncertain.

## What it is

- Six transformer layers of 384 numbers, started from all-MiniLM-L6-v2 (Apache-2.0, by the sentence-transformers
  project, distilled from MiniLM by Microsoft), {pieces} word pieces: MiniLM's, and emoji, each of which started as the
  mean of the words of its Unicode name. The mean of the last layer and its first place, one hidden layer, a sigmoid a
  label.
- Matrices are int8 with a scale a column, what is multiplied with them is quantized when it is there. A text is read
  alone and without padding, at most {window} pieces; longer ones in units of 400 code points, of which the eight that
  weigh most are read.
- {stages}
  Some rows are disturbed as people do who evade moderation; none is read beyond {length} pieces. bf16 arithmetic,
  seed {seed}.
- Where it reads a text, the fast model has too, and the probability is from the sum of what both say in log-odds, each
  counting as much as fits the validation rows best: {blend}.
- Sizes: {sizes} bytes.

## Figures

Rows that were held apart by a hash of their normalized text (10 % validation, 10 % test); these are the test rows in
English, scored by the runtime with both models, as the engine scores them; beside it, the area under the curve of each
model alone. AUC and AP leave out rows of which annotators were unsure. F1, ECE (15 bins) and the curve are of the
natural mixture: those rows with the weights of the label table, positives of a label weighted up to 3 % where there
are fewer.

{figures}

Area under the ROC curve for the six labels of the Jigsaw competition, on the Jigsaw rows that have all: {jigsaw}.

It reads English, and Latin text too short to tell what it is. An earlier version was taught German, French, Italian,
Portuguese and Spanish too, and ranked them no better than the fast model does.

Calibration of toxicity, a row a tenth: mean probability, share that was toxic, share of the texts.

{curve}

Thresholds: 0.5, unless on the validation mixture another from 0.4 to 0.6 has an F1 better by 0.02 or more.

## Data

As for `text-fast`: its card says how rows were cleaned, held apart and labelled. The second stage reads: {review}.

{sources}

## What it is weak at

- Other languages than English: it is not asked.
- Veiled threats, oblique self-harm and dog whistles that need to be known; quotation and irony at times.
- What annotators of the sets did: identity terms and African-American English raise scores more than they should.
"""

_STAGES = """Two stages: one pass over the {first_rows} public rows in batches of about 3,000 pieces; then {passes} over
  the written examples and a sample of the sets, {second_rows} rows in all."""

_LATER = """Training went on from an earlier version (`--begin FOLDER`), which was started as said above: {passes}
  passes over the written examples and a sample of the sets, {second_rows} rows in all. The weights are the mean of
  those before and after, which ranked the validation rows better than either."""


def write(figures: Mapping[str, Any], version: str) -> str:
    """The card's text."""
    settings = figures["settings"]
    rows = [
        (
            label,
            *(found.get(name, "") for name in ("auc", "ap", "positive", "negative", "threshold", "f1", "ece")),
            *(figures[other]["labels"][label].get("auc", "") for other in ("alone", "fast")),
        )
        for label, found in figures["labels"].items()
    ]
    stages = _STAGES if settings["first_rows"] else _LATER
    return _TEMPLATE.format(
        version=version,
        labels=", ".join(figures["labels"]),
        **settings,
        length=LENGTH,
        sizes=", ".join(f"{name} {size:,}" for name, size in figures["sizes"].items()),
        stages=stages.format(**settings),
        blend=", ".join(f"{label} {fast:.2f} and {own:.2f}" for label, (fast, own, _) in figures["blend"].items()),
        figures=table(("label", "AUC", "AP", "positive", "negative", "threshold", "F1", "ECE", "alone", "fast"), rows),
        jigsaw=listed(figures["jigsaw"]),
        curve=table(("probability", "toxic", "texts"), figures["labels"]["toxicity"]["curve"]),
        review=", ".join(f"{name} {share:g}" for name, share in REVIEW.items()),
        sources=sources(),
    )
