"""Write the pages and tables of the reference that come from the code: policies, entities, channel, command line."""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from seemly import BUILTIN, PRESETS, Channel
from seemly.cli.arguments import build_parser
from seemly.policies.pii.detectors import ALL
from seemly.policies.url.risk import WEIGHTS

__all__ = ["TABLES", "write_channel_schema", "write_command_line", "write_entities"]

_WORDS = tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))
"""A sentence for each policy and each entity."""


def write_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table; a pipe within a cell is escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def write_policies() -> str:
    """Return the table of the built-in policies, with the defaults that the registry has."""
    rows = [
        (
            f"`{spec.id}`",
            spec.kind,
            _WORDS["policies"][spec.id],
            ", ".join(f"`{spec.name(label)}`" for label in spec.labels if label != spec.id) or "–",
            "yes" if spec.defaults.flag else "no",
            f"{spec.defaults.weight:g}",
            spec.defaults.max_action,
        )
        for spec in BUILTIN
    ]
    return write_table(("policy", "type", "finds", "labels", "flags", "weight", "at most"), rows)


def write_entities() -> str:
    """Return the page of personal data entities."""
    rows = [(f"`{each}`", _WORDS["entities"][each]) for each in sorted({e for d in ALL for e in d.entity_types})]
    return (
        "# Personal data entities\n\n"
        "`personal_information` finds these entities. `entity_type` of a match is one of them, and a channel sets each "
        "one apart in the policy's option `entities` "
        "(see [redact personal data](../how-to/redact-personal-data.md)).\n\n"
        f"{write_table(('entity type', 'what is found'), rows)}\n"
    )


def write_presets() -> str:
    """Return the table of triage presets."""
    rows = [(f"`{name}`", f"{each.review:g}", f"{each.reject:g}") for name, each in PRESETS.items()]
    return write_table(("preset", "review from", "reject from"), rows)


def write_url_reasons() -> str:
    """Return the table of the reasons that make an address risky."""
    rows = [(f"`{name}`", f"{weight:.2f}", _WORDS["url"][name]) for name, weight in WEIGHTS.items()]
    return write_table(("reason", "weight", "given for"), rows)


TABLES: Mapping[str, Callable[[], str]] = {
    "policies": write_policies,
    "presets": write_presets,
    "url_reasons": write_url_reasons,
}
"""What stands in the place of `<!-- table: NAME -->` in a page."""


def write_channel_schema() -> str:
    """Return the page of the channel file, from its JSON Schema."""
    schema = Channel.json_schema()
    parts = [
        "# Channel file",
        "A channel lives in a JSON or TOML file with camelCase keys. `seemly init` writes one with every setting "
        "explained, `Channel.load(path)` reads it, `channel.dump()` returns the wire form, and `seemly schema` prints "
        "the JSON Schema that this page is generated from. An unknown key or a bad value is refused; the message "
        "lists every problem with its path.",
        *_describe_object("Channel", schema, 2),
    ]
    for name, definition in sorted(schema["$defs"].items()):
        parts += _describe_object(name, definition, 2)
    shown = json.dumps(schema, indent=2)
    parts.append('??? note "The JSON Schema"\n\n    ```json\n' + _indent(shown, 4) + "\n    ```")
    return "\n\n".join(parts) + "\n"


def _describe_object(name: str, schema: Mapping[str, Any], level: int) -> list[str]:
    required = schema.get("required", ())
    rows = [
        (f"`{key}`", _say_type(each), "required" if key in required else _say_default(each.get("default")))
        for key, each in schema["properties"].items()
    ]
    return [f"{'#' * level} {name}", _reflow(schema.get("description", "")), write_table(_FIELDS, rows)]


_FIELDS = ("key", "type", "default")


def _say_type(schema: Mapping[str, Any]) -> str:
    """Return a schema in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_say_type(each) for each in schema["anyOf"] if each.get("type") != "null")
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if values is not None:
        return ", ".join(f"`{each}`" for each in values)
    if schema.get("type") == "array":
        return f"list of {_say_type(schema.get('items', {}))}"
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f"{schema['type']}, {low:g} to {high:g}"
    if "maxLength" in schema:
        return f"string of {schema.get('minLength', 0)} to {schema['maxLength']} characters"
    return str(schema.get("type", "any JSON value"))


def _say_default(value: object) -> str:
    if isinstance(value, dict) and value:
        return "`balanced`" if set(value) >= {"review", "reject"} else "see there"
    return f"`{json.dumps(value)}`"


def write_command_line() -> str:
    """Return the page of the command line, from the parser of each command."""
    parser = build_parser()
    commands = next(each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    told = {each.dest: each.help or "" for each in commands._choices_actions}
    parts = [
        "# Command line",
        "`pip install seemly` adds the command `seemly`. Each command prints JSON if its output is not a terminal, or "
        "with `--json`. This page is generated from the parsers.",
        write_table(
            ("command", "what it does"),
            [(f"[`{name}`](#seemly-{name})", told.get(name, "")) for name in commands.choices],
        ),
    ]
    for name, command in commands.choices.items():
        usage = " ".join(command.format_usage().removeprefix("usage: ").split())
        parts += [f"## seemly {name}", told.get(name, "").capitalize() + ".", f"```text\n{usage}\n```"]
        rows = [_say_argument(each) for each in command._actions if each.dest != "help"]
        if rows:
            parts.append(write_table(("argument", "meaning"), rows))
        if command.epilog:
            parts.append(f"```text\n{command.epilog.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def _say_argument(action: argparse.Action) -> tuple[str, str]:
    metavar = action.metavar if isinstance(action.metavar, str) else None
    if action.option_strings:
        value = metavar or ("|".join(action.choices) if action.choices else action.dest.upper())
        name = ", ".join(action.option_strings) + ("" if action.nargs == 0 else f" {value}")
    else:
        name = metavar or action.dest
    text = (action.help or "").replace("%(default)s", str(action.default))
    return f"`{name}`", text[:1].upper() + text[1:]


def _reflow(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _indent(text: str, by: int) -> str:
    return "\n".join(" " * by + line for line in text.splitlines())
