"""A Whisper model of random weights in CTranslate2's format: the files of a real one, some hundred kilobytes, and nonsense
for words. CTranslate2 itself writes them, so that the tests need no package that trains models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from ctranslate2.specs import WhisperSpec
from ctranslate2.specs.model_spec import visit_spec
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

WIDTH = 16
MELS = 80
FRAMES = 1500
LENGTH = 448

_SPECIAL = (
    "<|endoftext|>", "<|startoftranscript|>", "<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>",
    "<|nospeech|>", "<|notimestamps|>",
)  # fmt: skip
_TIMES = tuple(f"<|{step * 0.02:.2f}|>" for step in range(FRAMES + 1))
_BYTES = tuple(sorted(pre_tokenizers.ByteLevel.alphabet()))
_VOCABULARY = (*_BYTES, *_SPECIAL, *_TIMES)

_SHAPES = {
    "conv1/weight": (WIDTH, MELS, 3),
    "conv2/weight": (WIDTH, WIDTH, 3),
    "encoder/position_encodings/encodings": (FRAMES, WIDTH),
    "decoder/position_encodings/encodings": (LENGTH, WIDTH),
    "embeddings/weight": (len(_VOCABULARY), WIDTH),
    "projection/weight": (len(_VOCABULARY), WIDTH),
    "self_attention/linear_0/weight": (3 * WIDTH, WIDTH),
    "attention/linear_0/weight": (WIDTH, WIDTH),
    "self_attention/linear_1/weight": (WIDTH, WIDTH),
    "attention/linear_1/weight": (2 * WIDTH, WIDTH),
    "attention/linear_2/weight": (WIDTH, WIDTH),
    "ffn/linear_0/weight": (4 * WIDTH, WIDTH),
    "ffn/linear_1/weight": (WIDTH, 4 * WIDTH),
    "gamma": (WIDTH,),
    "beta": (WIDTH,),
}
"""The shape of each weight, by the end of its name; the first that fits counts."""


def save(folder: Path) -> None:
    """Write the model into a folder that is there."""
    rng = np.random.default_rng(1)
    spec = WhisperSpec(num_encoder_layers=1, num_encoder_heads=2, num_decoder_layers=1, num_decoder_heads=2)

    def fill(layer: Any, name: str, _: object) -> None:
        shape = next((shape for end, shape in _SHAPES.items() if name.endswith(end)), None)
        if shape is not None:
            setattr(layer, name.rpartition("/")[2], rng.normal(size=shape).astype(np.float32))

    visit_spec(spec, fill)
    spec.register_vocabulary(list(_VOCABULARY))
    spec.config.suppress_ids = spec.config.suppress_ids_begin = spec.config.lang_ids = []
    spec.config.alignment_heads = [(0, 0)]
    spec.validate()
    spec.save(str(folder))
    _tokenizer().save(str(folder / "tokenizer.json"))
    settings = {"feature_size": MELS, "sampling_rate": 16_000, "hop_length": 160, "chunk_length": 30, "n_fft": 400}
    (folder / "preprocessor_config.json").write_text(json.dumps(settings), encoding="utf-8")


def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(vocab={byte: number for number, byte in enumerate(_BYTES)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([*_SPECIAL, *_TIMES])
    return tokenizer
