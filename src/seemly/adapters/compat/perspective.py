"""Perspective API's requests answered in process, for bots and services that used it.

    response = analyze({"comment": {"text": "…"}, "requestedAttributes": {"TOXICITY": {}}})
    response["attributeScores"]["TOXICITY"]["summaryScore"]["value"]

The scores come from other models than Perspective's: choose thresholds anew. What differs beside:

- `begin` and `end` of a span count UTF-16 code units of the submitted text, `end` exclusive, as Perspective's discovery
  document says of them. Up to the first character beyond U+FFFF, such as an emoji, these are Python's indexes.
- With `spanAnnotations`, each sentence has a span, of more than `MAX_SPANS` several together; otherwise one span covers
  the comment.
- A comment of type HTML is read without its markup; its spans still refer to the text as submitted.
- No language is refused but by a policy of your own that knows only some. Where the language is unsure, it is `und`.
- `context` counts where the engine's channel has `context_enabled`: its last entries, or the parent comment, as
  earlier turns.
- Nothing is stored, whatever `doNotStore` says; `sessionId` and `communityId` have no effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from seemly.adapters.compat.perspective_markup import Comment, find_sentences
from seemly.core.content import Submission, Text, Turn
from seemly.core.errors import PolicyFailed, SeemlyError, shorten
from seemly.core.locks import ProcessLock
from seemly.core.span import Span
from seemly.engine.engine import Engine
from seemly.engine.result import ModerationResult

__all__ = ["ATTRIBUTES", "MAX_BYTES", "MAX_SPANS", "MAX_TURNS", "PerspectiveError", "analyze", "suggest_score"]

MAX_BYTES = 20_480
"""The longest comment, in bytes of UTF-8."""

MAX_SPANS = 100
"""The most spans of a comment that are scored."""

MAX_TURNS = 10
"""The most entries of a context that count: the last."""

Source = tuple[str, str | None]
"""A policy, and the label of it that is meant; None for the policy's own probability."""

ATTRIBUTES: Mapping[str, tuple[Source, ...]] = {
    "TOXICITY": (("toxicity", None),),
    "SEVERE_TOXICITY": (("toxicity_severe", None),),
    "IDENTITY_ATTACK": (("hate", None), ("toxicity", "identity_attack")),
    "INSULT": (("toxicity", "insult"),),
    "PROFANITY": (("profanity", None),),
    "THREAT": (("violence", "threat"), ("toxicity", "threat")),
    "SEXUALLY_EXPLICIT": (("sexual", None),),
    "FLIRTATION": (("flirtation", None),),
    "SPAM": (("spam", None),),
}
"""The attributes that are scored, and where each score is found: of several, the first that the engine has."""

_STATUSES = {401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED"}
_ERROR = "type.googleapis.com/google.commentanalyzer.v1alpha1.Error"
_UNSURE = "und"

_LOCK = ProcessLock()


class PerspectiveError(SeemlyError):
    """A request that is not answered. `status` is that of HTTP; `kind` one of Perspective's error types, or None."""

    code = "BAD_REQUEST"

    def __init__(
        self,
        message: str,
        kind: str | None = "INVALID_REQUEST",
        *,
        status: int = 400,
        detail: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status
        self.detail = dict(detail or {})

    def to_dict(self) -> dict[str, Any]:
        """Google's error body."""
        default = "INVALID_ARGUMENT" if self.status < 500 else "UNAVAILABLE" if self.status == 503 else "INTERNAL"
        error: dict[str, Any] = {
            "code": self.status,
            "message": self.message,
            "status": _STATUSES.get(self.status, default),
        }
        if self.kind is not None:
            error["details"] = [{"@type": _ERROR, "errorType": self.kind, **self.detail}]
        return {"error": error}


def analyze(request: Mapping[str, Any], engine: Engine | None = None) -> dict[str, Any]:
    """Score a comment: the response of `comments:analyze` to the JSON of its request.

    Scores are probabilities, 0 to 1; those below an attribute's `scoreThreshold` are left out, and the attribute with
    its summary. Without `engine`, one of default settings is made at the first call and kept. Safe to call from several
    threads.

    Raises PerspectiveError for a request that cannot be answered, and where a policy failed.
    """
    asked = _Request.read(request)
    engine = _default_engine() if engine is None else engine
    homes = {name: _find_home(name, engine) for name in asked.thresholds}
    comment = asked.comment
    spans = find_sentences(comment.text, MAX_SPANS) if asked.by_sentence else []
    submissions = [
        Submission(content=Text(comment.text), history=asked.history, do_not_store=True),
        *(Submission(content=Text(span.of(comment.text)), do_not_store=True) for span in spans),
    ]
    try:
        whole, *parts = engine.moderate_many(submissions)
        places = [comment.place(span) for span in spans] or [comment.whole]
        scores = {
            name: _score(homes[name], threshold, whole, zip(places, parts or [whole], strict=True))
            for name, threshold in asked.thresholds.items()
        }
    except PolicyFailed as error:
        raise PerspectiveError(f"scoring failed, send the request again: {error.message}", None, status=500) from error
    detected = whole.language or _UNSURE
    for name in homes:
        _check_languages(name, homes[name], engine, dict.fromkeys([*asked.languages, detected]))
    response: dict[str, Any] = {
        "attributeScores": {name: score for name, score in scores.items() if score is not None},
        "languages": list(asked.languages) or [detected],
        "detectedLanguages": [detected],
    }
    return response if asked.token is None else {**response, "clientToken": asked.token}


def suggest_score(request: Mapping[str, Any]) -> dict[str, Any]:
    """Accept a suggestion: the response of `comments:suggestscore`. It is checked and not kept.

    Raises PerspectiveError for a request without a comment or scores.
    """
    _read_comment(request)
    scores = request.get("attributeScores")
    if not isinstance(scores, Mapping) or not scores:
        raise PerspectiveError("attributeScores must be an object with the score that you suggest for each attribute")
    token = _optional(request, "clientToken", str)
    response = {"requestedLanguages": list(_read_languages(request))}
    return response if token is None else {**response, "clientToken": token}


@dataclass(frozen=True, slots=True)
class _Request:
    comment: Comment
    thresholds: Mapping[str, float]
    languages: tuple[str, ...]
    history: tuple[Turn, ...]
    by_sentence: bool
    token: str | None

    @classmethod
    def read(cls, request: Mapping[str, Any]) -> _Request:
        return cls(
            _read_comment(request),
            _read_attributes(request.get("requestedAttributes")),
            _read_languages(request),
            tuple(_read_context(request)),
            _optional(request, "spanAnnotations", bool) or False,
            _optional(request, "clientToken", str),
        )


def _read_comment(request: Mapping[str, Any]) -> Comment:
    if not isinstance(request, Mapping):
        raise PerspectiveError("the request must be a JSON object")
    comment = _optional(request, "comment", Mapping) or {}
    text = _optional(comment, "text", str, "comment.") or ""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise PerspectiveError(f"comment.text must have at most {MAX_BYTES:,} bytes of UTF-8", "COMMENT_TOO_LONG")
    kind = _optional(comment, "type", str, "comment.") or "PLAIN_TEXT"
    if kind not in ("PLAIN_TEXT", "HTML", "TEXT_TYPE_UNSPECIFIED"):
        raise PerspectiveError("comment.type must be PLAIN_TEXT or HTML")
    found = Comment.html(text) if kind == "HTML" else Comment.plain(text)
    if not found.text.strip():
        raise PerspectiveError("comment.text must hold some text", "COMMENT_EMPTY")
    return found


def _read_attributes(requested: object) -> dict[str, float]:
    """The attributes by name, each with the least score that is wanted."""
    if requested is None or requested == {}:
        raise PerspectiveError("requestedAttributes must name at least one attribute", "NO_REQUESTED_ATTRIBUTES")
    if not isinstance(requested, Mapping):
        raise PerspectiveError("requestedAttributes must be an object with an entry for each attribute")
    found: dict[str, float] = {}
    for name, wanted in requested.items():
        if name not in ATTRIBUTES:
            known = ", ".join(ATTRIBUTES)
            raise PerspectiveError(f"unknown attribute {shorten(str(name))}; those that are scored are {known}")
        path = f"requestedAttributes.{name}"
        if not isinstance(wanted, Mapping | None):
            raise PerspectiveError(f"{path} must be an object")
        threshold = (wanted or {}).get("scoreThreshold")
        if (wanted or {}).get("scoreType") not in (None, "PROBABILITY", "SCORE_TYPE_UNSPECIFIED"):
            raise PerspectiveError(f"{path}.scoreType must be PROBABILITY, the one that there is")
        if isinstance(threshold, bool) or not isinstance(threshold, int | float | None):
            raise PerspectiveError(f"{path}.scoreThreshold must be a number from 0 to 1")
        found[name] = 0.0 if threshold is None else threshold
    return found


def _read_languages(request: Mapping[str, Any]) -> tuple[str, ...]:
    languages = _optional(request, "languages", list) or []
    if not all(isinstance(each, str) and each for each in languages):
        raise PerspectiveError("languages must be a list of language codes, such as en")
    return tuple(languages)


def _read_context(request: Mapping[str, Any]) -> Iterator[Turn]:
    context = _optional(request, "context", Mapping) or {}
    entries = _optional(context, "entries", list, "context.")
    article = _optional(context, "articleAndParentComment", Mapping, "context.")
    if entries and article:
        raise PerspectiveError("context must have entries or articleAndParentComment, not both")
    parent = _optional(article or {}, "parentComment", Mapping, "context.articleAndParentComment.")
    for entry in (entries or ([] if parent is None else [parent]))[-MAX_TURNS:]:
        if not isinstance(entry, Mapping):
            raise PerspectiveError("context.entries must be a list of objects, each with a text")
        text = _optional(entry, "text", str, "context: ")
        if text:
            yield Turn(text)


def _optional(found: Mapping[str, Any], name: str, kind: type, path: str = "") -> Any:
    """The value of a field that may be absent. Raises PerspectiveError where it is of another type."""
    value = found.get(name)
    if value is not None and not isinstance(value, kind):
        called = {str: "a string", bool: "true or false", list: "a list"}.get(kind, "an object")
        raise PerspectiveError(f"{path}{name} must be {called}")
    return value


def _find_home(name: str, engine: Engine) -> Source:
    """Where the engine has an attribute's score."""
    labels = {spec.id: spec.labels for spec in engine.registry if spec.id in engine.policies}
    for policy, label in ATTRIBUTES[name]:
        if policy in labels and (label is None or label in labels[policy]):
            return policy, label
    needed = " or ".join(dict.fromkeys(policy for policy, _ in ATTRIBUTES[name]))
    raise PerspectiveError(f"{name} is not scored here: the channel has the policy {needed} switched off")


def _check_languages(name: str, home: Source, engine: Engine, languages: Mapping[str, None]) -> None:
    known = next(spec.languages for spec in engine.registry if spec.id == home[0])
    if known is None:
        return
    foreign = [each for each in languages if each != _UNSURE and each.partition("-")[0].lower() not in known]
    if foreign:
        listed = ", ".join(map(shorten, foreign))
        detail = {"languageNotSupportedByAttributeError": {"detectedLanguages": foreign, "attribute": name}}
        kind = "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE"
        raise PerspectiveError(f"{name} is not scored in these languages: {listed}", kind, detail=detail)


def _score(
    home: Source, threshold: float, whole: ModerationResult, parts: Iterator[tuple[Span, ModerationResult]]
) -> dict[str, Any] | None:
    """An attribute's scores; None where that of the comment is below the threshold."""
    summary = _find_score(home, whole)
    if summary < threshold:
        return None
    scored = [(span, _find_score(home, part)) for span, part in parts]
    return {
        "spanScores": [
            {"begin": span.start, "end": span.end, "score": {"value": score, "type": "PROBABILITY"}}
            for span, score in scored
            if score >= threshold
        ],
        "summaryScore": {"value": summary, "type": "PROBABILITY"},
    }


def _find_score(home: Source, result: ModerationResult) -> float:
    policy, label = home
    found = result[policy]
    return found.probability if label is None else next(each.probability for each in found.labels if each.id == label)


def _default_engine() -> Engine:
    with _LOCK:
        return _make_engine()


@cache
def _make_engine() -> Engine:
    return Engine()
