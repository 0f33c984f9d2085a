"""The trained transformer as an ONNX graph of int8 weights.

Written node by node. Matrices are stored as int8 with a scale a column, embeddings with a scale a row; what is
multiplied with the matrices is quantized when it is there, over the whole text, so that a text is read alone and
without padding. Attention and activations are onnxruntime's own fused operators (com.microsoft); norms and the sums
before them are not: its fused norm took four times as long (1.31, AVX-512, 48 pieces).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from training.accurate.network import EPSILON, HEADS, LAYERS
from training.export import IR_VERSION, OPSET, quantize
from training.rows import LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Array = NDArray[np.float32]

_MS = "com.microsoft"


class _Graph:
    """The nodes and constants of a graph in the making."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, NDArray[np.generic]] = {}

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        self.constants[name] = np.asarray(value, order="C")
        return name

    def add(self, op: str, inputs: list[str], output: str, domain: str = "", **attributes: object) -> str:
        self.nodes.append(helper.make_node(op, inputs, [output], domain=domain, **attributes))
        return output

    def linear(self, x: str, name: str, weight: Array, bias: Array) -> str:
        """`x` times the matrix of a torch layer, [outputs, inputs], plus its bias."""
        scales = np.maximum(np.abs(weight).max(axis=1) / 127, 1e-8).astype(np.float32)
        stored = np.round(weight / scales[:, None]).astype(np.int8).T
        inputs = [
            x,
            self.constant(f"{name}.weight", stored),
            self.constant(f"{name}.scales", scales),
            self.constant(f"{name}.zeros", np.zeros(len(scales), np.int8)),
            self.constant(f"{name}.bias", bias),
        ]
        return self.add("DynamicQuantizeMatMul", inputs, f"{name}.out", _MS)


def graph(weights: Mapping[str, Array], scale: Array, shift: Array) -> bytes:
    """The model: `pieces` int32 [1, length] to `scores` float32 [1, labels].

    `weights` are the network's; a label's probability is `sigmoid(scale * logit + shift)`.
    """
    g = _Graph()
    x = _embed(g, weights)
    for number in range(LAYERS):
        x = _layer(g, weights, f"layers.{number}", x)
    g.constant("axis", np.array([1], np.int64))
    g.constant("first", np.array(0, np.int64))
    mean = g.add("ReduceMean", [x, "axis"], "mean", keepdims=0)
    start = g.add("Gather", [x, "first"], "start", axis=1)
    pooled = g.add("Concat", [mean, start], "pooled", axis=1)
    g.constant("hidden", weights["hidden.weight"].T)
    g.constant("hidden_bias", weights["hidden.bias"])
    g.constant("out", weights["out.weight"].T * scale)
    g.constant("out_bias", weights["out.bias"] * scale + shift)
    inner = g.add("Gelu", [g.add("Gemm", [pooled, "hidden", "hidden_bias"], "inner")], "fired", _MS)
    g.add("Sigmoid", [g.add("Gemm", [inner, "out", "out_bias"], "logits")], "scores")
    model = helper.make_model(
        helper.make_graph(
            g.nodes,
            "text-accurate",
            [helper.make_tensor_value_info("pieces", TensorProto.INT32, [1, "length"])],
            [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, len(LABELS)])],
            [numpy_helper.from_array(array, name) for name, array in g.constants.items()],
        ),
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(_MS, 1)],
        ir_version=IR_VERSION,
        producer_name="seemly",
    )
    onnx.checker.check_model(model)
    found: bytes = model.SerializeToString()
    return found


def _embed(g: _Graph, weights: Mapping[str, Array]) -> str:
    table, scales = quantize(weights["pieces.weight"])
    g.constant("table", table)
    g.constant("table_scales", scales)
    g.constant("positions", weights["positions"])
    stored = g.add("Gather", ["table", "pieces"], "stored")
    whole = g.add("Cast", [stored], "unscaled", to=TensorProto.FLOAT)
    embedded = g.add("Mul", [whole, g.add("Gather", ["table_scales", "pieces"], "row_scales")], "embedded")
    g.constant("zero", np.array([0], np.int64))
    g.constant("one", np.array([1], np.int64))
    g.constant("two", np.array([2], np.int64))
    length = g.add("Slice", [g.add("Shape", ["pieces"], "shape"), "one", "two"], "length")
    placed = g.add("Slice", ["positions", "zero", length, "zero"], "placed")
    summed = g.add("Add", [embedded, placed], "summed")
    return _norm(g, weights, "embedded", summed)


def _layer(g: _Graph, weights: Mapping[str, Array], name: str, x: str) -> str:
    def part(which: str) -> tuple[Array, Array]:
        return weights[f"{name}.{which}.weight"], weights[f"{name}.{which}.bias"]

    asked = g.linear(x, f"{name}.attend", *part("attend"))
    q, k, v = (f"{name}.{each}" for each in "qkv")
    g.nodes.append(helper.make_node("Split", [asked], [q, k, v], axis=2, num_outputs=3))
    found = g.add("MultiHeadAttention", [q, k, v], f"{name}.found", _MS, num_heads=HEADS)
    mixed = g.add("Add", [g.linear(found, f"{name}.mix", *part("mix")), x], f"{name}.mixture")
    x = _norm(g, weights, f"{name}.mixed", mixed)
    widened = g.add("Gelu", [g.linear(x, f"{name}.widen", *part("widen"))], f"{name}.fired", _MS)
    narrowed = g.add("Add", [g.linear(widened, f"{name}.narrow", *part("narrow")), x], f"{name}.outcome")
    return _norm(g, weights, f"{name}.narrowed", narrowed)


def _norm(g: _Graph, weights: Mapping[str, Array], name: str, x: str) -> str:
    gamma = g.constant(f"{name}.gamma", weights[f"{name}.weight"])
    beta = g.constant(f"{name}.beta", weights[f"{name}.bias"])
    return g.add("LayerNormalization", [x, gamma, beta], f"{name}.normed", axis=-1, epsilon=EPSILON)
