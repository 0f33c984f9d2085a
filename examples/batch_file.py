"""A file of JSON Lines in, a file of JSON Lines out, in bounded memory; a bad row is told and the run goes on.

    python examples/batch_file.py [IN.jsonl [OUT.jsonl]]

Without arguments it reads examples/comments.jsonl and prints:

    {"id": "c1", "action": "allow", "flagged": false, "text": null}
    {"id": "c2", "action": "reject", "flagged": true, "text": null}
    {"id": "c3", "action": "review", "flagged": true, "text": "Mail me: {{ email hidden }}"}
    {"line": 4, "error": "content.text: is missing"}
    {"id": "c5", "action": "review", "flagged": true, "text": {...}}

The same from the command line, with every field of the result:

    seemly moderate --file examples/comments.jsonl > verdicts.jsonl
"""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from seemly import Channel, Engine, ModerationResult, Rejected


def read_rows(lines: Iterable[str]) -> Iterator[object]:
    """The JSON value of each line. A line that is not JSON is handed on as None, which the engine refuses."""
    for line in lines:
        try:
            yield json.loads(line)
        except ValueError:
            yield None


def to_row(number: int, outcome: ModerationResult | Rejected) -> dict[str, Any]:
    """What to keep of one outcome. `number` counts lines from 1."""
    if isinstance(outcome, Rejected):
        return {"line": number, "error": "; ".join(map(str, outcome.error.issues))}
    content = outcome.to_dict()["content"]
    return {
        "id": content["id"],
        "action": outcome.recommendation.action,
        "flagged": outcome.evaluation.flagged,
        "text": content["modified"],
    }


def moderate_lines(engine: Engine, source: Iterable[str], target: TextIO) -> None:
    """Moderate a stream of JSON Lines into another."""
    outcomes = engine.moderate_many(read_rows(source), batch_size=256, on_error="return")
    target.writelines(json.dumps(to_row(number, outcome)) + "\n" for number, outcome in enumerate(outcomes, 1))


def main(arguments: list[str]) -> None:
    source = Path(arguments[0]) if arguments else Path(__file__).with_name("comments.jsonl")
    engine = Engine(Channel(key="comments"))
    with source.open(encoding="utf-8") as lines:
        if len(arguments) < 2:
            moderate_lines(engine, lines, sys.stdout)
        else:
            with Path(arguments[1]).open("w", encoding="utf-8") as target:
                moderate_lines(engine, lines, target)


if __name__ == "__main__":
    main(sys.argv[1:])
