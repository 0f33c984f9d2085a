"""The moderation result as the interface describes it, as a JSON Schema. Written from the interface, not from the code."""

PROBABILITY = {"type": "number", "minimum": 0, "maximum": 1}
STRING = {"type": "string"}
OPTIONAL_STRING = {"type": ["string", "null"]}
BOOLEAN = {"type": "boolean"}


def closed(required: dict[str, object], **optional: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


MATCH = closed(
    {
        "match": STRING,
        "probability": PROBABILITY,
        "span": {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 2, "maxItems": 2},
    },
    entity_type=STRING,
    reasons={"type": "array", "items": STRING},
    signals={"type": "object"},
)
MATCHES = {"type": "array", "items": MATCH}
FIELDS = {"type": "array", "items": STRING}
CLASSIFIER = closed(
    {"id": STRING, "type": {"const": "classifier"}, "probability": PROBABILITY, "flagged": BOOLEAN},
    flagged_fields=FIELDS,
    labels={"type": "array", "items": closed({"id": STRING, "probability": PROBABILITY, "flagged": BOOLEAN})},
    matches=MATCHES,
    data={"type": "object"},
)
ENTITY_MATCHER = closed(
    {
        "id": STRING,
        "type": {"const": "entity_matcher"},
        "probability": PROBABILITY,
        "flagged": BOOLEAN,
        "matches": MATCHES,
    },
    flagged_fields=FIELDS,
    data={"type": "object"},
)
AUTHOR = closed(
    {
        "id": STRING,
        "status": {"enum": ["enabled", "suspended", "blocked"]},
        "block": {"oneOf": [{"type": "null"}, closed({}, until={"type": ["integer", "null"]}, reason=OPTIONAL_STRING)]},
        "trust_level": closed({"level": {"type": "integer", "minimum": -1, "maximum": 4}, "manual": BOOLEAN}),
    },
    external_id=OPTIONAL_STRING,
)
RESULT = closed(
    {
        "content": closed(
            {
                "id": STRING,
                "masked": BOOLEAN,
                "modified": {"type": ["string", "object", "null"]},
                "unicode_cleaned": BOOLEAN,
            },
            transcript=STRING,
        ),
        "author": {"oneOf": [{"type": "null"}, AUTHOR]},
        "evaluation": closed(
            {"flagged": BOOLEAN, "flag_probability": PROBABILITY, "severity_score": PROBABILITY},
            shadow_flagged=BOOLEAN,
            unicode_spoofed=BOOLEAN,
        ),
        "recommendation": closed(
            {"action": {"enum": ["allow", "review", "reject"]}, "reason_codes": {"type": "array", "items": STRING}},
            matched_rules={"type": "array", "items": closed({"key": STRING, "name": OPTIONAL_STRING})},
        ),
        "policies": {"type": "array", "items": {"oneOf": [CLASSIFIER, ENTITY_MATCHER]}},
        "insights": {
            "type": "array",
            "items": closed(
                {"id": STRING, "type": {"const": "insight"}, "value": OPTIONAL_STRING, "probability": PROBABILITY}
            ),
        },
        "meta": closed(
            {
                "status": {"enum": ["success", "partial_success"]},
                "channel_key": STRING,
                "timestamp": {"type": "number"},
                "usage": {"type": "integer"},
            },
            processing_time={"type": "string", "pattern": r"^[0-9.]+ms$"},
        ),
        "errors": {"type": "array", "items": closed({"id": STRING, "message": STRING})},
    }
)
