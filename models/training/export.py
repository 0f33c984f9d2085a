"""The trained network as an ONNX graph.

Written node by node, so that the graph holds what it needs and no more: embeddings stay int8 in memory, with a scale
a row, and are turned into floats only where a text has them; the calibration is folded into the last layer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from seemly.pieces import PAD
from training.rows import LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

OPSET = 18
IR_VERSION = 9


def quantize(table: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """A table as int8, and the scale of each of its rows."""
    scales = np.maximum(np.abs(table).max(axis=1, keepdims=True) / 127, 1e-8).astype(np.float32)
    return np.round(table / scales).astype(np.int8), scales


def graph(weights: Mapping[str, NDArray[np.float32]], scale: NDArray[np.float32], shift: NDArray[np.float32]) -> bytes:
    """The model: `pieces` int32 [texts, length], 0 for padding, to `scores` float32 [texts, labels].

    `weights` are the network's; a label's probability is `sigmoid(scale * logit + shift)`.
    """
    table, scales = quantize(weights["embedding.weight"])
    constants = {
        "table": table,
        "scales": scales,
        "taps": weights["taps.weight"].T,
        "bias": weights["bias"],
        "hidden": weights["hidden.weight"].T,
        "hidden_bias": weights["hidden.bias"],
        "out": weights["out.weight"].T * scale,
        "out_bias": weights["out.bias"] * scale + shift,
        "pad": np.array(PAD, np.int32),
        "one": np.array(1, np.float32),
        "length": np.array([1], np.int64),
        "last": np.array([2], np.int64),
        "first": np.array([0], np.int64),
        "but_one": np.array([-1], np.int64),
        "second": np.array([1], np.int64),
        "end": np.array([np.iinfo(np.int64).max], np.int64),
        "left": np.array([0, 1, 0, 0, 0, 0], np.int64),
        "right": np.array([0, 0, 0, 0, 1, 0], np.int64),
    }
    node = helper.make_node
    nodes = [
        node("Equal", ["pieces", "pad"], ["is_pad"]),
        node("Not", ["is_pad"], ["is_piece"]),
        node("Cast", ["is_piece"], ["flat_mask"], to=TensorProto.FLOAT),
        node("Unsqueeze", ["flat_mask", "last"], ["mask"]),
        node("Gather", ["table", "pieces"], ["stored"]),
        node("Cast", ["stored"], ["unscaled"], to=TensorProto.FLOAT),
        node("Gather", ["scales", "pieces"], ["row_scales"]),
        node("Mul", ["unscaled", "row_scales"], ["embedded"]),
        node("MatMul", ["embedded", "taps"], ["tapped"]),
        node("Split", ["tapped"], ["before", "here", "after"], axis=2, num_outputs=3),
        node("Slice", ["before", "first", "but_one", "length"], ["before_cut"]),
        node("Pad", ["before_cut", "left"], ["before_moved"]),
        node("Slice", ["after", "second", "end", "length"], ["after_cut"]),
        node("Pad", ["after_cut", "right"], ["after_moved"]),
        node("Add", ["here", "bias"], ["biased"]),
        node("Add", ["biased", "before_moved"], ["half"]),
        node("Add", ["half", "after_moved"], ["summed"]),
        node("Relu", ["summed"], ["fired"]),
        node("Mul", ["fired", "mask"], ["masked"]),
        node("ReduceMax", ["masked", "length"], ["largest"], keepdims=0),
        node("ReduceSum", ["embedded", "length"], ["sum"], keepdims=0),
        node("ReduceSum", ["flat_mask", "length"], ["count"], keepdims=1),
        node("Max", ["count", "one"], ["divisor"]),
        node("Div", ["sum", "divisor"], ["mean"]),
        node("Concat", ["largest", "mean"], ["pooled"], axis=1),
        node("Gemm", ["pooled", "hidden", "hidden_bias"], ["inner"]),
        node("Relu", ["inner"], ["inner_fired"]),
        node("Gemm", ["inner_fired", "out", "out_bias"], ["logits"]),
        node("Sigmoid", ["logits"], ["scores"]),
    ]
    model = helper.make_model(
        helper.make_graph(
            nodes,
            "text-fast",
            [helper.make_tensor_value_info("pieces", TensorProto.INT32, ["texts", "length"])],
            [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["texts", len(LABELS)])],
            [numpy_helper.from_array(np.ascontiguousarray(array), name) for name, array in constants.items()],
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="seemly",
    )
    onnx.checker.check_model(model, full_check=True)
    found: bytes = model.SerializeToString()
    return found
