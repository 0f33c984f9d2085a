"""The command line: its arguments, and what each failure means for the exit code."""

from __future__ import annotations

import argparse
import os
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from seemly.cli.codes import BROKEN_PIPE, INTERRUPTED, UNUSABLE
from seemly.cli.console import Console
from seemly.errors import ConfigError
from seemly.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seemly.cli.moderate import Job
    from seemly.models import Models

__all__ = ["main"]

_INPUTS = """\
inputs:
  Texts come as arguments; files by --file, told apart by suffix or --format; else standard input is read, as JSON
  Lines where it starts with a brace or a JSON string, as plain lines otherwise.
  jsonl  a string, a content or submission of the interface, or any object with a text field
  csv    with a header and a text column (tsv alike)
  lines  one text a line
  Beside a text field or column, contentId, authorId and conversationId are taken up where they exist.

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


def main(argv: Sequence[str] | None = None, console: Console | None = None, models: Models | None = None) -> int:
    """Run a command line and return its exit code. `console` and `models` stand in for the process's own."""
    console = Console.of_process() if console is None else console
    try:
        with redirect_stdout(console.stdout), redirect_stderr(console.stderr):
            args = _parser().parse_args(argv)
    except SystemExit as asked:
        return asked.code if isinstance(asked.code, int) else UNUSABLE
    try:
        return _run(args, console, models)
    except ConfigError as error:
        console.complain(error)
        return UNUSABLE
    except BrokenPipeError:
        _silence(console)
        return BROKEN_PIPE
    except OSError as error:
        _silence(console)
        console.tell(f"the output cannot be written: {error.strerror}")
        return UNUSABLE
    except KeyboardInterrupt:
        console.tell("interrupted")
        return INTERRUPTED


def _run(args: argparse.Namespace, console: Console, models: Models | None) -> int:
    """Each command imports what it needs, so that `--help` needs none of it."""
    match args.command:
        case "moderate" | "explain":
            from seemly.cli.moderate import run

            return run(_job(args), console, models)
        case "init":
            from seemly.cli.init import write_channel

            return write_channel(console, args.path, args.key, force=args.force)
        case "policies":
            from seemly.cli.listing import list_policies

            return list_policies(console, args.channel, args.tier, models, as_json=args.json)
        case "schema":
            from seemly.cli.listing import write_schema

            return write_schema(console)
        case _:
            from seemly.cli.bench import bench

            return bench(console, args.channel, args.tier, models, as_json=args.json)


def _job(args: argparse.Namespace) -> Job:
    from seemly.cli.moderate import Job
    from seemly.cli.readers import Columns

    return Job(
        texts=tuple(args.texts),
        files=tuple(args.file),
        format=args.format,
        columns=Columns(args.text_field, args.id_field),
        channel=args.channel,
        tier=args.tier,
        explain=args.explain or args.command == "explain",
        json=args.json,
        extended=args.extended,
        paths=tuple(path.strip() for path in args.fields.split(",") if path.strip()),
        fail_on=args.fail_on,
        batch_size=args.batch_size,
        quiet=args.quiet,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="seemly", description="Content moderation in process.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"seemly {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    engine = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    engine.add_argument("--channel", type=Path, metavar="FILE", help="the channel's file, JSON or TOML (see init)")
    engine.add_argument("--tier", help="the tier of text models")
    engine.add_argument("--json", action="store_true", help="JSON, also where the output is a terminal")
    _add_moderate(commands, "moderate", "moderate texts, files, or standard input", engine)
    _add_moderate(commands, "explain", "as moderate --explain", engine)
    init = commands.add_parser("init", help="write a channel file with every setting explained", allow_abbrev=False)
    init.add_argument("path", nargs="?", default="channel.toml", metavar="PATH", help="%(default)s; - is the output")
    init.add_argument("--key", default="default", help="the channel's key")
    init.add_argument("--force", action="store_true", help="overwrite a file that is there")
    commands.add_parser(
        "policies", help="list the policies, with how a channel treats each", parents=[engine], allow_abbrev=False
    )
    commands.add_parser("schema", help="write the JSON Schema of a channel file", allow_abbrev=False)
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


def _silence(console: Console) -> None:
    """Let nothing that is still in a buffer complain again when the process ends."""
    with suppress(OSError, ValueError):
        stdout = console.stdout.fileno()
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout)
