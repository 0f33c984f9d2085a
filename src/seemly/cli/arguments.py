"""The arguments of the command line."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from seemly.cli.operations import OPERATIONS
from seemly.core.version import __version__

__all__ = ["build_parser", "split_names"]

_INPUTS = """\
inputs:
  Texts come as arguments; files by --file, told apart by suffix or --format; else standard input is read, as JSON
  Lines where it starts with a brace or a JSON string, as plain lines otherwise.
  jsonl  a string, a content or submission of the interface, or any object with a text field
  csv    with a header and a text column (tsv alike)
  lines  one text a line
  Beside a text field or column, contentId, authorId and conversationId are taken up where they exist.
  --image, --video and --audio name files, which are told apart by what they hold, or, with --fetch, URLs. What reads
  them comes with extras: seemly[image,nudity,ocr] and seemly[media].

output:
  One line of JSON an input, in the order of the input, with its "line" (and "file", where --file was given). Texts
  given as arguments have a short summary in its place where the output is a terminal. A bad line is reported on
  standard error by file and number, and the run goes on.

exit codes:
  0  done
  1  some lines were bad; every other was moderated
  2  the command line or the configuration cannot work, and nothing was moderated; or the output cannot be written
  3  --fail-on was met (whether or not lines were bad)
  130 and 141 when interrupted, and when the reader of the output stopped reading
"""

_EXAMPLES = """\
examples:
  Files told apart by suffix: .jsonl, .ndjson, .csv, .tsv, .parquet (which needs seemly[notebook]). A label is true or
  false, 1 or 0, the share of those who judged it who said so, or empty where no one knows. What else a row has can be
  sliced by; language and length always can. Rows are counted from 1, and in the results on through all files.

exit codes:
  0  done
  1  some rows were left out, each reported on standard error
  2  the command line, the configuration or the examples cannot work, or the output cannot be written
"""


_PLANS = ("standard", "enterprise")
_ARTICLES = {"image": "an image", "video": "a video", "audio": "a recording"}


def split_names(names: str) -> list[str]:
    """The names of a comma-separated list."""
    return [name.strip() for name in names.split(",") if name.strip()]


def _whole(word: str) -> int:
    if not (word.isascii() and word.isdigit()):
        raise argparse.ArgumentTypeError("must be a whole number")
    return int(word)


def build_parser() -> argparse.ArgumentParser:
    """The parser of every command."""
    parser = argparse.ArgumentParser(prog="seemly", description="Content moderation in process.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"seemly {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    engine = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    engine.add_argument("--channel", type=Path, metavar="FILE", help="the channel's file, JSON or TOML (see init)")
    engine.add_argument("--tier", help="the tier of text models")
    engine.add_argument("--json", action="store_true", help="JSON, also where the output is a terminal")
    _add_moderate(commands, "moderate", "moderate texts, files, or standard input", engine)
    _add_moderate(commands, "explain", "as moderate --explain", engine)
    _add_evaluate(commands, engine)
    _add_calibrate(commands, engine)
    _add_replay(commands, engine)
    init = commands.add_parser("init", help="write a channel file with every setting explained", allow_abbrev=False)
    init.add_argument("path", nargs="?", default="channel.toml", metavar="PATH", help="%(default)s; - is the output")
    init.add_argument("--key", default="default", help="the channel's key")
    init.add_argument("--force", action="store_true", help="overwrite a file that is there")
    commands.add_parser(
        "policies", help="list the policies, with how a channel treats each", parents=[engine], allow_abbrev=False
    )
    commands.add_parser("schema", help="write the JSON Schema of a channel file", allow_abbrev=False)
    _add_service(commands)
    commands.add_parser("bench", help="measure the speed on this machine", parents=[engine], allow_abbrev=False)
    return parser


def _add_moderate(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    summary: str,
    engine: argparse.ArgumentParser,
) -> None:
    parser = commands.add_parser(
        name,
        help=summary,
        description=summary,
        epilog=_INPUTS,
        parents=[engine],
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("texts", nargs="*", metavar="TEXT", help="a text (after --, where one starts with a dash)")
    for kind in ("image", "video", "audio"):
        add(f"--{kind}", action="append", default=[], metavar="PATH", help=f"moderate {_ARTICLES[kind]}: a path or URL")
    add("--fetch", action="store_true", help="get what URLs name, from the public internet alone (seemly[fetch])")
    add("--file", action="append", default=[], metavar="FILE", help="read rows from a file, - being standard input")
    add("--format", choices=("jsonl", "csv", "tsv", "lines"), help="of the rows (default: by the file's suffix)")
    add("--text-field", metavar="NAME", help="the column or key of the text (default: text)")
    add("--id-field", metavar="NAME", default="contentId", help="the column or key of the id (default: %(default)s)")
    add("--fields", metavar="PATHS", default="", help="only these paths of the result: recommendation.action,…")
    add("--extended", action="store_true", help="with the trace, versions, and the place of each match")
    add("--explain", action="store_true", help="with the words that carried each policy; earlier turns are not read")
    add("--fail-on", choices=("review", "reject"), help="exit with 3 where this action, or a stricter one, was met")
    add("--batch-size", type=int, default=64, metavar="N", help="rows read ahead (default: %(default)s; 1: none)")
    add("--quiet", action="store_true", help="no progress")


def _add_service(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    service = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    add = service.add_argument
    add("--database", default="sqlite:///seemly.db", metavar="URL", help="sqlite:///FILE or postgresql://…")
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    add = first.add_argument
    add("--owner-email", metavar="ADDRESS", help="of a new database: where failed webhooks are told of")
    add("--plan", choices=_PLANS, help="of a new database: enterprise unless given")
    add("--quota", type=_whole, metavar="N", help="of a new database: units a month; no limit unless given")
    running = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    add = running.add_argument
    add("--allow-private-targets", action="store_true", help="webhooks and media on private addresses, for tests")
    add(
        "--smtp",
        metavar="URL",
        help="where mail about failed webhooks goes through: smtp://USER:PASSWORD@HOST:587 (STARTTLS), smtps://…, or "
        "HOST:PORT in the clear; the password can be in SEEMLY_SMTP_PASSWORD. No mail without it",
    )
    add("--mail-from", default="seemly@localhost", metavar="ADDRESS", help="who that mail is from")
    add("--log", choices=("json", "text"), default="json", help="lines on standard error (default: %(default)s)")
    setup = commands.add_parser(
        "setup", help="set up a database, print keys", parents=[service, first], allow_abbrev=False
    )
    setup.add_argument("--json", action="store_true", help="as one line of JSON")
    serve = commands.add_parser(
        "serve", help="serve the HTTP interface", parents=[service, first, running], allow_abbrev=False
    )
    add = serve.add_argument
    add("--host", default="127.0.0.1", help="%(default)s")
    add("--port", type=int, default=8000, help="%(default)s")
    add("--tier", help="the tier of text models")
    add(
        "--counters",
        default="memory://",
        metavar="URL",
        help="where rates are counted; postgresql://… or redis://… for several servers",
    )
    add("--no-worker", action="store_true", help="deliver no webhooks; seemly worker does")
    commands.add_parser("worker", help="deliver webhooks", parents=[service, running], allow_abbrev=False)
    _add_management(commands, service)


def _add_management(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], service: argparse.ArgumentParser
) -> None:
    for group, operations in OPERATIONS.items():
        verbs = ", ".join(operations)
        parser = commands.add_parser(
            group,
            help=f"manage the {group} of a service",
            description="What the endpoints of the interface take and give, on a database, without a key.",
            parents=[service],
            allow_abbrev=False,
        )
        parser.add_argument("verb", choices=tuple(operations), metavar="VERB", help=verbs)
        parser.add_argument("words", nargs="*", metavar="WORD", help="ids, then name=VALUE or name=@FILE.json")
    export = commands.add_parser(
        "export", help="write all of a project but its secrets, as JSON Lines", parents=[service], allow_abbrev=False
    )
    export.add_argument("project", metavar="PROJECT", help="its id")
    organization = commands.add_parser(
        "organization", help="show or change a service's organization", parents=[service], allow_abbrev=False
    )
    add = organization.add_argument
    add("--name", help="what it is called")
    add("--plan", choices=_PLANS, help="what it may do")
    add("--quota", metavar="N", help="units a month; none for no limit")


def _add_evaluate(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], engine: argparse.ArgumentParser
) -> None:
    parser = _add_examples(commands, "evaluate", "measure how well a channel does on labelled examples", engine)
    _add_labels(parser)
    add = parser.add_argument
    names = partial(add, type=split_names, action="extend", default=[])
    names("--slice", metavar="NAMES", help="measure apart by these attributes")
    add("--fit", metavar="TARGET", help="find thresholds: 'precision>=0.95', 'recall>=0.9', 'fpr<=0.01' or f1")
    add("--out", type=Path, metavar="FILE.json", help="write the channel with the thresholds of --fit")
    add("--report", type=Path, metavar="FILE.html", help="write a page with tables, plots and the worst errors")


def _add_calibrate(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], engine: argparse.ArgumentParser
) -> None:
    parser = _add_examples(commands, "calibrate", "fit calibrations on labelled examples", engine)
    _add_labels(parser)
    methods = ("platt", "isotonic")
    parser.add_argument("--method", choices=methods, default="platt", help="platt unless given; isotonic for hundreds")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.json", help="where the channel with them goes")


def _add_replay(commands: argparse._SubParsersAction[argparse.ArgumentParser], engine: argparse.ArgumentParser) -> None:
    parser = _add_examples(commands, "replay", "show what a draft of a channel would change", engine)
    parser.add_argument("--new", type=Path, required=True, metavar="FILE", help="the draft; --channel is the old one")
    parser.add_argument("--report", type=Path, metavar="FILE.html", help="write a page with tables and examples")


def _add_examples(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    summary: str,
    engine: argparse.ArgumentParser,
) -> argparse.ArgumentParser:
    """A command over files of examples."""
    parser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=_EXAMPLES,
        parents=[engine],
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE", help="rows with a text each")
    add("--text-field", metavar="NAME", default="text", help="the column of the text (default: %(default)s)")
    add("--force", action="store_true", help="overwrite files that are there")
    add("--quiet", action="store_true", help="no progress")
    return parser


def _add_labels(parser: argparse.ArgumentParser) -> None:
    add = partial(parser.add_argument, type=split_names, action="extend", default=[])
    add("--labels", metavar="COLUMN=POLICY,…", help="the columns with labels (default: those named as a policy)")
    add("--policies", metavar="IDS", help="only these (default: all with labels)")
