"""The trained network as two ONNX graphs, between which the runtime puts a text's pieces together.

All that depends on a piece alone is in the first, so that it is done once a piece and kept. Written node by node, so
that the graphs hold what they need and no more: embeddings stay int8 in memory, with a scale a row; the calibration is
folded into the last layer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from training.rows import LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from onnx import NodeProto, ValueInfoProto

OPSET = 18
IR_VERSION = 9


def quantize(table: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """A table as int8, and the scale of each of its rows."""
    scales = np.maximum(np.abs(table).max(axis=1, keepdims=True) / 127, 1e-8).astype(np.float32)
    return np.round(table / scales).astype(np.int8), scales


def graphs(
    weights: Mapping[str, NDArray[np.float32]], scale: NDArray[np.float32], shift: NDArray[np.float32]
) -> dict[str, bytes]:
    """The model, as its files by name.

    `rows.onnx`: `pieces` int32 [pieces], to `rows` int16 [pieces, 3 * features + width]: what a piece gives each
    feature of the piece after it, of its own place (the bias included) and of the piece before it, and its embedding.
    `head.onnx`: `pooled` float32 [texts, features + width], the largest of each feature and the mean embedding, to
    `scores` float32 [texts, labels]. Both count in units of which a feature cannot exceed what 16 bits hold.

    `weights` are the network's; a label's probability is `sigmoid(scale * logit + shift)`.
    """
    table, scales = quantize(weights["embedding.weight"])
    taps = np.split(weights["taps.weight"].T, 3, axis=1)
    embedded = table * scales
    largest = sum(np.abs(embedded @ tap).max() for tap in taps) + np.abs(weights["bias"]).max()
    unit = np.float32(max(largest, np.abs(embedded).max()) / (np.iinfo(np.int16).max - len(taps)))
    nothing = np.zeros_like(weights["bias"])
    rows = {
        "table": table,
        "scales": scales / unit,
        "taps": np.concatenate(taps, axis=1),
        "bias": np.concatenate([nothing, weights["bias"] / unit, nothing]),
    }
    head = {
        "hidden": weights["hidden.weight"].T * unit,
        "hidden_bias": weights["hidden.bias"],
        "out": weights["out.weight"].T * scale,
        "out_bias": weights["out.bias"] * scale + shift,
    }
    node, info = helper.make_node, helper.make_tensor_value_info
    features, width = len(weights["bias"]), table.shape[1]
    return {
        "rows.onnx": _model(
            [
                node("Gather", ["table", "pieces"], ["stored"]),
                node("Cast", ["stored"], ["unscaled"], to=TensorProto.FLOAT),
                node("Gather", ["scales", "pieces"], ["row_scales"]),
                node("Mul", ["unscaled", "row_scales"], ["embedded"]),
                node("MatMul", ["embedded", "taps"], ["tapped"]),
                node("Add", ["tapped", "bias"], ["biased"]),
                node("Concat", ["biased", "embedded"], ["row"], axis=1),
                node("Round", ["row"], ["whole"]),
                node("Cast", ["whole"], ["rows"], to=TensorProto.INT16),
            ],
            info("pieces", TensorProto.INT32, ["pieces"]),
            info("rows", TensorProto.INT16, ["pieces", 3 * features + width]),
            rows,
        ),
        "head.onnx": _model(
            [
                node("Gemm", ["pooled", "hidden", "hidden_bias"], ["inner"]),
                node("Relu", ["inner"], ["fired"]),
                node("Gemm", ["fired", "out", "out_bias"], ["logits"]),
                node("Sigmoid", ["logits"], ["scores"]),
            ],
            info("pooled", TensorProto.FLOAT, ["texts", features + width]),
            info("scores", TensorProto.FLOAT, ["texts", len(LABELS)]),
            head,
        ),
    }


def _model(
    nodes: list[NodeProto], given: ValueInfoProto, found: ValueInfoProto, constants: Mapping[str, NDArray[Any]]
) -> bytes:
    stored = [numpy_helper.from_array(np.ascontiguousarray(array), name) for name, array in constants.items()]
    model = helper.make_model(
        helper.make_graph(nodes, "text-fast", [given], [found], stored),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="seemly",
    )
    onnx.checker.check_model(model, full_check=True)
    written: bytes = model.SerializeToString()
    return written
