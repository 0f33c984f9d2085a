"""One way for the tests of personal information to look into a text."""

from __future__ import annotations

from seemly.core.channel import Channel
from seemly.policies.pii.options import PiiOptions
from seemly.policies.pii.policy import SPEC
from seemly.policies.protocol import Finding, Item
from seemly.text.normalize import normalize

DEFAULT = PiiOptions()


def search(text: str, options: PiiOptions = DEFAULT) -> Finding:
    """The finding on one text."""
    return SPEC.build(options, Channel(key="test")).check([Item(normalize(text))])[0]


def found(text: str, entity_type: str | None = None, options: PiiOptions = DEFAULT) -> list[str]:
    """What was found with probability 0.5 or more, of one entity or of any."""
    return [
        match.match
        for match in search(text, options).matches
        if match.probability >= 0.5 and entity_type in (None, match.entity_type)
    ]
