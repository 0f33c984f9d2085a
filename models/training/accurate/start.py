"""Where training starts: the finished English model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx
import torch
from onnx import numpy_helper

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor


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
