"""A text classifier of your own: a folder with `model.onnx` and `tokenizer.json`, as Hugging Face's tools export them.

    model = OnnxTextModel("my-model", labels={"toxic": "toxicity", "clickbait": "clickbait"})
    registry = BUILTIN | Registry([model.policy("clickbait")])

`labels` says which class of the model speaks for which label; classes that it does not name are passed over. Classes
are named in `config.json` (`id2label`), or in a manifest, `manifest.json`, which holds what the arguments say:

    {
      "format": 1,
      "name": "my-model",
      "version": "1",
      "labels": {"toxic": "toxicity"},
      "output": "sigmoid",                optional: softmax, sigmoid, or none if the outputs are probabilities
      "classes": ["fine", "toxic"],       optional: in the order of the outputs
      "max_length": 512,                  optional: tokens of a window; longer texts are read in several
      "overlap": 64,                      optional: tokens that two windows share
      "thresholds": {"toxicity": 0.6},    optional: of the labels, 0.5 by default
      "languages": ["en"],                optional: those that the model was measured on; any by default
      "base": "fast",                     optional: the tier that scores the labels that this model does not
      "sha256": {"model.onnx": "…"}       optional: of the files, checked when they are loaded
    }

With a manifest the folder is a tier: `Engine(tier="folder:my-model")`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from annotated_types import Interval
from tokenizers import Tokenizer

from seemly.core.channel import parse_as
from seemly.core.errors import ConfigError, Issue, ModelError
from seemly.core.frozen import EMPTY, FrozenMapping
from seemly.inference.manifest import FILE, FORMAT
from seemly.inference.scorer import pick
from seemly.inference.session import Opened, open_session
from seemly.policies.protocol import Defaults, Finding, Item, NoOptions, Spec

if TYPE_CHECKING:
    from collections.abc import Sequence

    import onnxruntime as ort
    from numpy.typing import NDArray

__all__ = ["Description", "OnnxTextModel", "Output", "open_tier"]

Output = Literal["softmax", "sigmoid", "none"]

MODEL, TOKENIZER, CONFIG = "model.onnx", "tokenizer.json", "config.json"

_TOKENS = 8_192
"""Tokens that are read together at most: bounds memory."""

_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})


@dataclass(frozen=True, slots=True)
class Description:
    """What a manifest says of a model."""

    format: int = FORMAT
    name: str = ""
    version: str = "1"
    labels: Mapping[str, str] = EMPTY
    output: Output | None = None
    classes: tuple[str, ...] = ()
    max_length: Annotated[int, Interval(ge=8, le=8192)] | None = None
    overlap: Annotated[int, Interval(ge=0, le=4096)] = 64
    thresholds: Mapping[str, Annotated[float, Interval(ge=0.01, le=0.99)]] = EMPTY
    languages: tuple[str, ...] = ()
    base: Literal["fast", "cascade", "accurate"] | None = None
    sha256: Mapping[str, str] = EMPTY


class OnnxTextModel:
    """The classifier in a folder. A Scorer, as the engine's own models are; `policy` makes a policy of one label.

    Arguments take the place of what the folder's manifest says. Pickles as its folder and arguments; the weights load
    with the first text. Safe to call from several threads.

    Raises ModelError if the folder cannot work, with every problem.
    """

    def __init__(
        self,
        folder: Path | str,
        labels: Mapping[str, str] | None = None,
        *,
        output: Output | None = None,
        max_length: int | None = None,
        overlap: int | None = None,
        thresholds: Mapping[str, float] | None = None,
        languages: Sequence[str] | None = None,
    ) -> None:
        self.folder = Path(folder)
        given = {
            "labels": labels,
            "output": output,
            "max_length": max_length,
            "overlap": overlap,
            "thresholds": thresholds,
            "languages": languages,
        }
        self._given = {name: value for name, value in given.items() if value is not None}
        self.description = _describe(self.folder, self._given)
        by_label: dict[str, list[int]] = {}
        for name, label in self.description.labels.items():
            by_label.setdefault(label, []).append(self.description.classes.index(name))
        self._columns = by_label
        self._network = Opened(lambda: _Network(self.folder, self.description))

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that its classes speak for."""
        return tuple(self._columns)

    @property
    def languages(self) -> frozenset[str]:
        """The languages that it was measured on, as its manifest says; none if it does not say."""
        return frozenset(self.description.languages)

    @property
    def thresholds(self) -> Mapping[str, float]:
        """The probability from which each label counts as found."""
        return {label: self.description.thresholds.get(label, 0.5) for label in self.labels}

    def supported(self, label: str, language: str | None) -> bool:
        """Whether it is said to be good enough at a label in a language: any language, if it names none."""
        known = self.description.languages
        return label in self._columns and (language is None or not known or language in known)

    def score(self, texts: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]) -> NDArray[np.float32]:
        """Probabilities, 0 to 1, of shape [texts, labels]: of a text's windows the largest. The thresholds make no
        difference. Raises ModelError if the model does not load or gives something other than one number a class."""
        del thresholds
        classes = self.read_classes(texts)
        # Classes that exclude each other add up; of others the largest counts.
        join = np.sum if self.description.output == "softmax" else np.max
        scores = np.stack([join(classes[:, columns], axis=1) for columns in self._columns.values()], axis=1)
        return pick(np.clip(scores, 0.0, 1.0).astype(np.float32), self.labels, labels)

    def read_classes(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """What the model gives each of its classes, [texts, classes]: of a text's windows the largest."""
        return self._network().run(texts)

    def sketch(self, texts: Sequence[str], labels: Sequence[str]) -> NDArray[np.float32]:
        """Its probabilities, [texts, labels]."""
        return self.score(texts, labels, ())

    def find_uncertain(self, texts: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]) -> list[bool]:
        """False of each: there is one model."""
        del labels, thresholds
        return [False] * len(texts)

    def warm_up(self) -> None:
        """Load the weights. Raises ModelError if they do not load."""
        self._network()

    def weigh(
        self, text: str, without: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]
    ) -> NDArray[np.float32]:
        """Probabilities of a text and of copies that lack a part each, [1 + copies, labels]."""
        return self.score([text, *without], labels, thresholds)

    def policy(self, label: str, policy_id: str | None = None, *, flag: bool = True) -> Spec:
        """The entry in a registry of a policy that asks this model for one label, beside the engine's own models.

        Raises ConfigError for a label that the model does not score.
        """
        if label not in self._columns:
            raise ConfigError(f"the model does not score {label!r}; it scores {', '.join(self.labels)}")
        languages = self.languages or None
        defaults = Defaults(flag=flag, threshold=self.thresholds[label])
        name = label if policy_id is None else policy_id
        return Spec(name, "classifier", partial(_build, self, label), languages=languages, defaults=defaults)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.folder, self._given)


@dataclass(frozen=True, slots=True)
class _ModelPolicy:
    model: OnnxTextModel
    label: str

    def check(self, items: Sequence[Item]) -> list[Finding]:
        scores = self.model.score([item.text.plain.text for item in items], (self.label,), ())
        return [Finding(probability) for probability in scores[:, 0].tolist()]


def _build(model: OnnxTextModel, label: str, _options: NoOptions, _channel: object) -> _ModelPolicy:
    return _ModelPolicy(model, label)


def _rebuild(folder: Path, given: dict[str, Any]) -> OnnxTextModel:
    return OnnxTextModel(folder, **given)


def open_tier(folder: Path) -> OnnxTextModel:
    """The model of a folder that a manifest makes a tier. Raises ModelError."""
    if not (folder / FILE).is_file():
        message = f"has no {FILE}, which names the classes that speak for labels"
        raise ModelError(f"the folder {folder.name!r} {message}; `seemly models check` says what it needs")
    return OnnxTextModel(folder)


class _Network:
    """An open model with its tokenizer."""

    def __init__(self, folder: Path, description: Description) -> None:
        self._description = description
        weights = _load(folder, MODEL, description)
        self._session: ort.InferenceSession = open_session(weights, description.name)
        self._inputs = [each.name for each in self._session.get_inputs()]
        unknown = sorted(set(self._inputs) - _INPUTS)
        if unknown:
            raise ModelError(f"{MODEL} wants inputs that a text does not give: {', '.join(unknown)}")
        # Quantization with scales of the whole tensor lets neighbours in a batch change a text's scores.
        self._alone = b"DynamicQuantizeLinear" in weights
        try:
            length: Any = description.max_length
            tokenizer = Tokenizer.from_str(_load(folder, TOKENIZER, description).decode())
            tokenizer.no_padding()
            tokenizer.enable_truncation(length, stride=description.overlap)
        except ModelError:
            raise
        except Exception as error:  # the package raises plain Exception
            raise ModelError(f"{TOKENIZER} cannot be read by the tokenizers package") from error
        self._tokenizer = tokenizer

    def run(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The probabilities of every class, [texts, classes]."""
        windows: list[tuple[int, Any]] = []
        for owner, text in enumerate(texts):
            # A lone surrogate cannot be handed over.
            encoding = self._tokenizer.encode(text.encode("utf-8", "replace").decode())
            windows.extend((owner, each) for each in (encoding, *encoding.overflowing) if each.ids)
        scores = np.full((len(texts), len(self._description.classes)), -np.inf)
        # Windows of one length are read together: without padding, a text's scores depend on it alone.
        windows.sort(key=lambda window: len(window[1].ids))
        start = 0
        while start < len(windows):
            length = len(windows[start][1].ids)
            end, most = start + 1, 1 if self._alone else max(1, _TOKENS // length)
            while end < len(windows) and end - start < most and len(windows[end][1].ids) == length:
                end += 1
            batch = windows[start:end]
            np.maximum.at(scores, [owner for owner, _ in batch], self._read([each for _, each in batch]))
            start = end
        scores[np.isneginf(scores)] = 0.0  # of texts without a token
        return scores

    def _read(self, encodings: Sequence[Any]) -> NDArray[np.float64]:
        given = {
            "input_ids": [each.ids for each in encodings],
            "attention_mask": [each.attention_mask for each in encodings],
            "token_type_ids": [each.type_ids for each in encodings],
        }
        try:
            outputs = self._session.run(None, {name: np.array(given[name], np.int64) for name in self._inputs})
        except Exception as error:  # onnxruntime's exceptions have no common type of their own
            raise ModelError(f"{MODEL} does not take what {TOKENIZER} gives it") from error
        values = np.asarray(outputs[0], np.float64)
        if values.shape != (len(encodings), len(self._description.classes)) or not np.isfinite(values).all():
            raise ModelError(f"{MODEL} gives other than one number for each of its classes")
        if self._description.output == "softmax":
            values = np.exp(values - values.max(axis=1, keepdims=True))
            return np.asarray(values / values.sum(axis=1, keepdims=True))
        return 1.0 / (1.0 + np.exp(-values)) if self._description.output == "sigmoid" else values


def _load(folder: Path, file: str, description: Description) -> bytes:
    try:
        found = (folder / file).read_bytes()
    except OSError as error:
        raise ModelError(f"{file} of the model {description.name!r} cannot be read") from error
    if description.sha256.get(file) not in (None, hashlib.sha256(found).hexdigest()):
        raise ModelError(f"{file} of the model {description.name!r} is not the one that its manifest names")
    return found


def _describe(folder: Path, given: Mapping[str, Any]) -> Description:
    """What the manifest, the arguments and the configuration say together. Raises ModelError with every problem."""
    failed = f"the model in {folder.name!r} cannot work"
    found = _read_json(folder / FILE) if (folder / FILE).is_file() else {}
    known = {each.name for each in fields(Description)}
    issues = [Issue(name, f"is not known; known are {', '.join(sorted(known))}") for name in found if name not in known]
    try:
        description: Description = parse_as(Description, {**found, **_plain(given)}, "")
    except ConfigError as error:
        raise ModelError(failed, [*issues, *error.issues]) from None
    config = _read_json(folder / CONFIG) if (folder / CONFIG).is_file() else {}
    description = _complete(description, config, folder.name)
    issues += _find_issues(description)
    issues += [Issue(file, "is not in the folder") for file in (MODEL, TOKENIZER) if not (folder / file).is_file()]
    if issues:
        raise ModelError(failed, issues)
    return description


def _plain(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: dict(value) if isinstance(value, Mapping) else value for name, value in given.items()}


def _complete(description: Description, config: Mapping[str, Any], folder: str) -> Description:
    """The description with what an exported configuration says where nothing else does."""
    classes = description.classes
    named = config.get("id2label")
    if not classes and isinstance(named, dict):
        try:
            classes = tuple(str(named[key]) for key in sorted(named, key=int))
        except ValueError:
            classes = ()
    output = description.output
    if output is None:
        several = config.get("problem_type") == "multi_label_classification" or len(classes) == 1
        output = "sigmoid" if several else "softmax"
    positions = config.get("max_position_embeddings")
    longest = min(512, positions) if isinstance(positions, int) and positions >= 8 else 512
    return replace(
        description,
        name=description.name or folder,
        classes=classes,
        output=output,
        max_length=description.max_length or longest,
        labels=FrozenMapping(description.labels),
    )


def _find_issues(description: Description) -> list[Issue]:
    classes, labels = description.classes, description.labels
    issues = []
    if description.format != FORMAT:
        issues.append(Issue("format", f"must be {FORMAT}"))
    if not classes:
        issues.append(Issue("classes", f"are neither given nor named by id2label in {CONFIG}"))
    if not labels:
        issues.append(Issue("labels", f"names no class, so that the model would say nothing; {_name_all(classes)}"))
    if classes:
        issues += [
            Issue(f"labels.{name}", f"is none of the classes; {_name_all(classes)}")
            for name in labels
            if name not in classes
        ]
    issues += [
        Issue(f"thresholds.{label}", "is none of the labels that classes speak for")
        for label in description.thresholds
        if label not in labels.values()
    ]
    if description.max_length is not None and description.overlap >= description.max_length - 2:
        issues.append(Issue("overlap", "must be less than max_length by more than 2"))
    return issues


def _name_all(classes: Sequence[str]) -> str:
    return f"the classes are {', '.join(classes)}" if classes else "no classes are known"


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ModelError(f"{path.name} cannot be read as JSON") from error
    if not isinstance(found, dict):
        raise ModelError(f"{path.name} is not a JSON object")
    return found
