"""A text classifier of a few words, made with the packages that real ones are made with: `onnx` and `tokenizers`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

WORDS = ("[UNK]", "hello", "idiot", "click", "here", "fine", "day")
CLASSES = ("fine", "rude", "bait")


def make_model(
    folder: Path,
    *,
    manifest: Mapping[str, Any] | None = None,
    classes: Sequence[str] = CLASSES,
    config: Mapping[str, Any] | None = None,
    inputs: Sequence[str] = ("input_ids", "attention_mask"),
    file: str = "model.onnx",
) -> Path:
    """A folder with a model that tells `idiot` (the second class) and `click` (the third) from all other words."""
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))

    weights = np.full((len(WORDS), len(CLASSES)), -4.0, np.float32)
    weights[:, 0] = 0.0
    weights[WORDS.index("idiot"), 1] = 4.0
    weights[WORDS.index("click"), 2] = 4.0
    nodes = [
        helper.make_node("Gather", ["weights", "input_ids"], ["rows"]),
        helper.make_node("ReduceMax", ["rows"], ["logits"], axes=[1], keepdims=0),
    ]
    shapes = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in inputs]
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", len(CLASSES)])
    graph = helper.make_graph(nodes, "tiny", shapes, [logits], [numpy_helper.from_array(weights, "weights")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, str(folder / file))

    if config is None:
        config = {"id2label": {str(i): name for i, name in enumerate(classes)}}
    (folder / "config.json").write_text(json.dumps(config))
    if manifest is not None:
        (folder / "manifest.json").write_text(json.dumps({"format": 1, **manifest}))
    return folder
