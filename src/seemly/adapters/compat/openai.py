"""Requests to OpenAI's `/v1/moderations` answered in process.

    response = moderate({"input": "…"}, engine)
    response["results"][0]["category_scores"]["harassment"]

Where each category comes from; a name after a stop is a label of the policy:

| category | score, 0 to 1 | of text | of images |
|---|---|---|---|
| `harassment` | the larger of `toxicity` and `toxicity.insult` | yes | |
| `harassment/threatening` | the smaller of that and `threat` | yes | |
| `hate` | `hate` | yes | a model of your own with the label `hate` |
| `hate/threatening` | the smaller of that and `threat` | yes | |
| `self-harm` | `self_harm` | yes | a model of your own with the label `self_harm` |
| `sexual` | `sexual` | yes | nudity |
| `violence` | `violence` | yes | a model of your own with the label `gore` or `violence` |
| `violence/graphic` | `violence.gore` | | a model of your own with the label `gore` |
| `sexual/minors`, `self-harm/intent`, `self-harm/instructions`, `illicit`, `illicit/violent` | not covered | | |

`threat` is the larger of the labels `violence.threat` and `toxicity.threat`. What is not covered, and what the engine's
channel has switched off, has the score 0.0, is false, and has no entry in `category_applied_input_types`; it may be
harmful all the same. That list names `image` also where the words in a picture are read, which OpenAI does nowhere.

A category is true where the engine's own thresholds say so, and `flagged` where any category is. So a channel in
DRY_RUN flags nothing here, and what OpenAI has no category for, such as profanity or personal data, does not show.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from seemly.core.content import MAX_FIELDS, Image, Object, Part, Submission, Text, is_url
from seemly.core.errors import ContentError, PolicyFailed, SeemlyError
from seemly.engine.engine import Engine
from seemly.engine.result import ModerationResult
from seemly.policies.protocol import Spec

__all__ = ["CATEGORIES", "DEFAULT_MODEL", "MAX_INPUTS", "ModerationsError", "moderate"]

DEFAULT_MODEL = "omni-moderation-latest"
"""The model that a response names where the request names none. It is echoed, and chooses nothing."""

MAX_INPUTS = 1_000
"""The most inputs of a request."""

Source = tuple[str, str | None]
"""A policy, and the label of it that is meant; None for the policy's own probability."""

_HARASSMENT: tuple[Source, ...] = (("toxicity", None), ("toxicity", "insult"))
_HATE: tuple[Source, ...] = (("hate", None),)
_THREAT: tuple[Source, ...] = (("violence", "threat"), ("toxicity", "threat"))

CATEGORIES: Mapping[str, tuple[tuple[Source, ...], ...]] = {
    "harassment": (_HARASSMENT,),
    "harassment/threatening": (_HARASSMENT, _THREAT),
    "hate": (_HATE,),
    "hate/threatening": (_HATE, _THREAT),
    "illicit": (),
    "illicit/violent": (),
    "self-harm": ((("self_harm", None),),),
    "self-harm/instructions": (),
    "self-harm/intent": (),
    "sexual": ((("sexual", None),),),
    "sexual/minors": (),
    "violence": ((("violence", None),),),
    "violence/graphic": ((("violence", "gore"),),),
}
"""The categories: each is the least of its groups, and a group the most of its sources. One without groups is not
covered."""


class ModerationsError(SeemlyError):
    """A request that is not answered. `status` is that of HTTP; `param` names the field that is wrong."""

    code = "BAD_REQUEST"

    def __init__(self, message: str, param: str | None = None, *, status: int = 400, reason: str | None = None) -> None:
        super().__init__(message)
        self.param = param
        self.status = status
        self.reason = reason

    def to_dict(self) -> dict[str, Any]:
        """OpenAI's error body. `reason` stands there as `code`."""
        kind = "server_error" if self.status >= 500 else "requests" if self.status == 429 else "invalid_request_error"
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.reason}}


def moderate(request: Mapping[str, Any], engine: Engine) -> dict[str, Any]:
    """The response to the JSON of a request. Safe to call from several threads.

    `input` is a text, a list of texts, or a list of parts, texts and images, which together are one input. The images'
    URLs are data: URLs, or such as the engine's `fetch` gets. Nothing is stored.

    Raises ModerationsError for a request that cannot be answered, an image that was not read, and a policy that failed.
    """
    if not isinstance(request, Mapping):
        raise ModerationsError("the request must be a JSON object")
    model = DEFAULT_MODEL if request.get("model") is None else request["model"]
    if not isinstance(model, str):
        raise ModerationsError("model must be a string", "model")
    submissions = [Submission(content=each, do_not_store=True) for each in _read_input(request.get("input"))]
    specs = {spec.id: spec for spec in engine.registry if spec.id in engine.policies}
    try:
        results = [_report(result, specs) for result in engine.moderate_many(submissions)]
    except ContentError as error:
        raise ModerationsError(str(error), "input") from error
    except PolicyFailed as error:
        raise ModerationsError(error.message, status=500) from error
    return {"id": f"modr-{secrets.token_hex(16)}", "model": model, "results": results}


def _read_input(given: object) -> list[Text | Object]:
    if isinstance(given, str):
        return [Text(given)]
    if not isinstance(given, list) or not given:
        raise ModerationsError("input must be a string, or a list of strings or of parts that is not empty", "input")
    if all(isinstance(each, str) for each in given):
        if len(given) > MAX_INPUTS:
            raise ModerationsError(f"input must have at most {MAX_INPUTS:,} texts: send several requests", "input")
        return [Text(each) for each in given]
    if len(given) > MAX_FIELDS:
        raise ModerationsError(f"input must have at most {MAX_FIELDS:,} parts", "input")
    return [Object({str(at): _read_part(each, f"input[{at}]") for at, each in enumerate(given)})]


def _read_part(given: object, path: str) -> Part:
    kind = given.get("type") if isinstance(given, Mapping) else None
    if isinstance(given, Mapping) and kind == "text":
        text = given.get("text")
        if not isinstance(text, str):
            raise ModerationsError(f"{path}.text must be a string", path)
        return Text(text)
    if isinstance(given, Mapping) and kind == "image_url":
        image = given.get("image_url")
        url = image.get("url") if isinstance(image, Mapping) else None
        if not isinstance(url, str) or not is_url(url):
            raise ModerationsError(f"{path}.image_url.url must be an http, https or data URL", path)
        return Image(url)
    raise ModerationsError(f"{path} must be a part of type text or image_url, as every other", path)


def _report(result: ModerationResult, specs: Mapping[str, Spec]) -> dict[str, Any]:
    """One entry of the response's results. Raises ModerationsError for an image that was not looked at."""
    given = result.submitted
    parts: Sequence[Part] = tuple(given.data.values()) if isinstance(given, Object) else (Text(""),)
    kinds = {part.type for part in parts}
    for failure in result.errors:
        if failure.id.startswith("decode:"):
            path = f"input[{failure.id.removeprefix('decode:')}]"
            raise ModerationsError(f"{path}: {failure.message}", path, reason="image_not_read")
    if "image" in kinds and not result.media:
        raise ModerationsError("the channel has images switched off", "input", reason="image_not_read")
    seen = frozenset(each.label for media in result.media for each in media.labels)
    readers = _Readers(specs, kinds, seen)
    found = {name: _weigh(groups, result, readers) for name, groups in CATEGORIES.items()}
    return {
        "flagged": any(each.flagged for each in found.values()),
        "categories": {name: each.flagged for name, each in found.items()},
        "category_scores": {name: each.score for name, each in found.items()},
        "category_applied_input_types": {name: list(each.applied) for name, each in found.items()},
    }


@dataclass(frozen=True, slots=True)
class _Category:
    score: float = 0.0
    flagged: bool = False
    applied: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Readers:
    """Which sources there are, and what of an input they read: its `kinds`, and in its images the labels `seen`."""

    specs: Mapping[str, Spec]
    kinds: set[str]
    seen: frozenset[str] = field(default_factory=frozenset)

    def has(self, source: Source) -> bool:
        policy, label = source
        spec = self.specs.get(policy)
        return spec is not None and (label is None or label in spec.labels or label in spec.sights)

    def find_kinds(self, groups: Sequence[Sequence[Source]]) -> tuple[str, ...]:
        """The kinds of input that every group has a source for."""
        reads = {"text": self._reads_text, "image": self._reads_image}
        return tuple(
            kind
            for kind, read in reads.items()
            if kind in self.kinds and all(any(map(read, group)) for group in groups)
        )

    def _reads_text(self, source: Source) -> bool:
        policy, label = source
        spec = self.specs[policy]
        return "text" in spec.leaves if label is None else label in spec.labels

    def _reads_image(self, source: Source) -> bool:
        policy, label = source
        wanted = self.specs[policy].sights if label is None else (label,)
        return not self.seen.isdisjoint(wanted) or ("text" in self.seen and self._reads_text(source))


def _weigh(groups: Sequence[Sequence[Source]], result: ModerationResult, readers: _Readers) -> _Category:
    there = [[source for source in group if readers.has(source)] for group in groups]
    if not there or not all(there):
        return _Category()
    found = [[_find(source, result) for source in group] for group in there]
    score = min(max(probability for probability, _ in group) for group in found)
    flagged = all(any(flagged for _, flagged in group) for group in found)
    return _Category(score, flagged, readers.find_kinds(there))


def _find(source: Source, result: ModerationResult) -> tuple[float, bool]:
    """The probability of a source and whether it crossed its threshold. A label that nothing told of has 0."""
    policy, label = source
    found = result[policy]
    if label is None:
        return found.probability, found.flagged
    return next(((each.probability, each.flagged) for each in found.labels if each.id == label), (0.0, False))
