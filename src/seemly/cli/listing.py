"""`seemly policies` and `seemly schema`: what there is to configure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from seemly.cli.exit_codes import DONE
from seemly.cli.options import find_registry, open_channel
from seemly.core.channel import Channel
from seemly.engine.engine import DEFAULT_TIER
from seemly.engine.models import Models
from seemly.engine.plan import compile_plan

if TYPE_CHECKING:
    from pathlib import Path

    from seemly.cli.streams import Console

__all__ = ["list_policies", "write_schema"]


def list_policies(
    console: Console, channel: Path | None, tier: str | None, models: Models | None, *, as_json: bool
) -> int:
    """Write the policies that a channel runs, with how it treats each. Raises ConfigError."""
    plan = compile_plan(open_channel(channel), find_registry(), models or Models(), tier or DEFAULT_TIER)
    rows: list[dict[str, Any]] = [
        {
            "id": each.spec.id,
            "type": each.spec.kind,
            "flag": each.flag,
            "threshold": each.threshold,
            "weight": each.weight,
        }
        for each in plan.policies
    ]
    if as_json:
        for row in rows:
            console.write(json.dumps(row))
        return DONE
    width = max((len(row["id"]) for row in rows), default=0)
    console.write(f"{'policy':<{width}}  {'type':<14}  flag  threshold  weight")
    for row in rows:
        flag = "yes" if row["flag"] else "no"
        console.write(
            f"{row['id']:<{width}}  {row['type']:<14}  {flag:<4}  {row['threshold']:>9.2f}  {row['weight']:>6.2f}"
        )
    return DONE


def write_schema(console: Console) -> int:
    """Write the JSON Schema of a channel file."""
    console.write(json.dumps(Channel.json_schema(), indent=2))
    return DONE
