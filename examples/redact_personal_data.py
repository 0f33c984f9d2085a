"""Personal data out of a text, in several ways of masking.

    python examples/redact_personal_data.py

It prints:

    hidden:     Mail {{ email hidden }}, card {{ payment card hidden }}, or again {{ email hidden }}.
    template:   Mail <b>jo@example.com</b>, card <b>4111 1111 1111 1111</b>, or again <b>JO@example.com</b>.
    keep_last:  Mail **@******e.com, card **** **** **** 1111, or again **@******e.com.
    character:  Mail ##############, card ###################, or again ##############.
    pseudonym:  Mail Email 1, card Payment card 1, or again Email 1.
    hash:       Mail b53983ae3953, card 949e0a0ef09c, or again b53983ae3953.
    by entity:  Mail jo@example.com, card **** **** **** 1111, or again JO@example.com.
"""

from collections.abc import Mapping
from typing import Any

from seemly import BUILTIN, Channel, Engine, PolicySettings, Registry

TEXT = "Mail jo@example.com, card 4111 1111 1111 1111, or again JO@example.com."

PERSONAL_DATA = Registry([BUILTIN["personal_information"]])
"""A registry of this policy alone: no classifier runs, and no model is loaded."""

WAYS: Mapping[str, Mapping[str, Any]] = {
    "hidden": {},
    "template": {"style": {"kind": "template", "template": "<b>$</b>"}},
    "keep_last": {"style": {"kind": "keep_last", "keep": 4}},
    "character": {"style": {"kind": "character", "character": "#"}},
    "pseudonym": {"style": {"kind": "pseudonym"}},
    "hash": {"style": {"kind": "hash", "salt": "a secret of your own"}},
    "by entity": {"entities": {"email": {"mask": False}, "payment_card": {"style": {"kind": "keep_last"}}}},
}


def redact(text: str, options: Mapping[str, Any]) -> str:
    """The text with its personal data masked as the options say."""
    settings = PolicySettings("personal_information", options=options)
    result = Engine(Channel(key="redact", policies=(settings,)), registry=PERSONAL_DATA).moderate(text)
    return result.modified_text or text


def main() -> None:
    for way, options in WAYS.items():
        print(f"{way + ':':<11} {redact(TEXT, options)}")


if __name__ == "__main__":
    main()
