"""Every step of the accurate model's making; each leaves its result in the work folder and is not done twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from seemly.inference.tokenizer import WordPieceTokenizer, split, strip
from training.accurate import foreign, start
from training.accurate.fit import fit
from training.accurate.network import Network
from training.accurate.rounds import Rounds
from training.codes import LANGUAGES
from training.dataset import gather_once, kept_apart, natural_rows, pairs_once
from training.glossary import glossary
from training.rows import FIRST, LABELS, split_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from training.accurate.rounds import Read
    from training.pairs import Pair
    from training.rows import Row

_KEPT = 0.7
"""What the trained weights count in the mean with those that training began with; of .5, .75 and 1, .75 was best on
validation rows."""

_UNLIKELY = -3.0
"""The logit that a new label starts with."""


def train(
    data: Path, examples: Path, suites: Path, work: Path, begin: Path, *, seed: int, rounds: int, size: int, pieces: int
) -> tuple[Network, list[str]]:
    """The network and its vocabulary, from the English model in `begin`."""
    rows = gather_once(data, examples, suites, work)
    pairs = [*pairs_once(data, suites, work), *glossary()]
    natural = natural_rows(examples, kept_apart(data, suites, work))
    known, tensors = start.reopen(begin)
    teacher = Network(len(FIRST), len(known))
    teacher.load_state_dict({**tensors, "foreign.weight": teacher.foreign.weight})
    vocabulary, table = _vocabulary(rows, pairs, natural, known, tensors, work, pieces, seed)
    network = Network(len(LABELS), len(known), len(vocabulary) - len(known))
    _take_over(network, tensors, table)
    rounded = Rounds(rows, pairs, natural, seed)
    print(f"rows: {rounded.counts}", flush=True)

    def draw(number: int) -> list[Read]:
        return rounded.draw(number, size)

    cutters = WordPieceTokenizer(vocabulary, bare=True), WordPieceTokenizer(known, bare=True)
    fit(network, teacher, draw, rounds, cutters, work / "rounds.pt", seed=seed)
    _average(network, tensors)
    return network.eval(), vocabulary


def table(begin: Path, work: Path) -> tuple[list[str], NDArray[np.float32]]:
    """The vocabulary and the rows of its pieces, as the last checkpoint in `work` has them."""
    known, _ = start.reopen(begin)
    state = torch.load(work / "rounds.pt")["network"]
    rows = torch.cat([state["pieces.weight"], state["foreign.weight"][1:]])
    return [*known, *torch.load(work / "foreign.pt")["learned"]], rows.numpy()


def _vocabulary(
    rows: Sequence[Row],
    pairs: Sequence[Pair],
    natural: Sequence[Row],
    known: Sequence[str],
    tensors: dict[str, torch.Tensor],
    work: Path,
    size: int,
    seed: int,
) -> tuple[list[str], torch.Tensor]:
    """The whole vocabulary, and the rows of its new pieces."""
    if not (work / "foreign.pt").exists():
        texts: dict[str, list[str]] = {language: [] for language in LANGUAGES}
        english = []
        for row in (*(pair.row for pair in pairs), *rows, *natural):
            if split_of(row.text) == "train":
                texts.setdefault(row.language, []).append(row.text)
                if row.language == "en":
                    english.append(row.text)
        english += [pair.english for pair in pairs]
        glossed = [pair.row.text for pair in pairs if pair.row.source == "glossary"]
        whole = [word for text in glossed for each in split(text) for word in (each, strip(each)) if len(word) > 2]
        learned = foreign.learn(foreign.sample(texts, seed), known, size, whole)
        learned = foreign.keep_english(learned, known, english)
        vocabulary = [*known, *learned]
        sides = [(pair.row.text, pair.english) for pair in pairs if pair.row.language in LANGUAGES]
        table = torch.from_numpy(foreign.start(sides, vocabulary, len(known), tensors["pieces.weight"].numpy()))
        torch.save({"learned": learned, "table": table}, work / "foreign.pt")
    kept = torch.load(work / "foreign.pt")
    return [*known, *kept["learned"]], kept["table"]


@torch.no_grad()
def _average(network: Network, tensors: dict[str, torch.Tensor]) -> None:
    """Move the weights a part of the way back to those that training began with, which ranks English better.

    Wortsman et al. 2022, "Robust fine-tuning of zero-shot models". What is new, pieces and labels, stays.
    """
    own = network.state_dict()
    for name, value in tensors.items():
        part = own[name][: len(FIRST)] if name.startswith("out") else own[name]
        part.copy_(_KEPT * part + (1 - _KEPT) * value)


@torch.no_grad()
def _take_over(network: Network, tensors: dict[str, torch.Tensor], table: torch.Tensor) -> None:
    own = network.state_dict()
    for name, value in tensors.items():
        if name.startswith("out"):
            own[name][: len(FIRST)] = value
            own[name][len(FIRST) :] = _UNLIKELY if name.endswith("bias") else 0.0
        else:
            own[name].copy_(value)
    own["foreign.weight"][0] = 0.0
    own["foreign.weight"][1:] = table
