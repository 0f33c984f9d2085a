"""The command line: which command runs, and what each failure means for the exit code."""

from __future__ import annotations

import argparse
import os
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import fields
from typing import TYPE_CHECKING

from seemly.cli.arguments import build_parser, split_names
from seemly.cli.exit_codes import BROKEN_PIPE, INTERRUPTED, UNUSABLE
from seemly.cli.operations import OPERATIONS
from seemly.cli.streams import Console
from seemly.core.errors import SeemlyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seemly.cli.example_files import ExampleFiles
    from seemly.cli.moderate import Job
    from seemly.cli.serve import ServeJob
    from seemly.engine.models import Models

__all__ = ["main"]


def main(argv: Sequence[str] | None = None, console: Console | None = None, models: Models | None = None) -> int:
    """Run a command line and return its exit code. `console` and `models` stand in for the process's own."""
    console = Console.of_process() if console is None else console
    try:
        with redirect_stdout(console.stdout), redirect_stderr(console.stderr):
            args = build_parser().parse_args(argv)
    except SystemExit as asked:
        return asked.code if isinstance(asked.code, int) else UNUSABLE
    try:
        return _run(args, console, models)
    except SeemlyError as error:
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
        case "evaluate":
            from seemly.cli.evaluate import EvaluateJob, run_evaluate

            evaluating = EvaluateJob(
                files=_example_files(args),
                channel=args.channel,
                tier=args.tier,
                policies=tuple(args.policies),
                slices=tuple(args.slice),
                fit=args.fit,
                out=args.out,
                report=args.report,
                force=args.force,
                json=args.json,
                quiet=args.quiet,
            )
            return run_evaluate(evaluating, console, models)
        case "calibrate":
            from seemly.cli.calibrate import CalibrateJob, run_calibrate

            calibrating = CalibrateJob(
                files=_example_files(args),
                out=args.out,
                method=args.method,
                channel=args.channel,
                tier=args.tier,
                policies=tuple(args.policies),
                force=args.force,
                json=args.json,
                quiet=args.quiet,
            )
            return run_calibrate(calibrating, console, models)
        case "replay":
            from seemly.cli.example_files import ExampleFiles
            from seemly.cli.replay import ReplayJob, run_replay

            replaying = ReplayJob(
                files=ExampleFiles(tuple(args.files), args.text_field, labels={}),
                new=args.new,
                channel=args.channel,
                tier=args.tier,
                report=args.report,
                force=args.force,
                json=args.json,
                quiet=args.quiet,
            )
            return run_replay(replaying, console, models)
        case "init":
            from seemly.cli.init import write_channel

            return write_channel(console, args.path, args.key, force=args.force)
        case "policies":
            from seemly.cli.listing import list_policies

            return list_policies(console, args.channel, args.tier, models, as_json=args.json)
        case "setup" | "serve" | "worker":
            from seemly.cli import serve

            chosen = {"setup": serve.run_setup, "serve": serve.run_serve, "worker": serve.run_worker}[args.command]
            return chosen(_serve_job(args), console)
        case "export":
            from seemly.cli.manage import run_export

            return run_export(args.database, args.project, console)
        case "organization":
            from seemly.cli.manage import OrganizationJob, run_organization

            return run_organization(OrganizationJob(args.database, args.name, args.plan, args.quota), console)
        case group if group in OPERATIONS:
            from seemly.cli.manage import ManageJob, run_manage

            return run_manage(ManageJob(args.database, OPERATIONS[group][args.verb], tuple(args.words)), console)
        case "schema":
            from seemly.cli.listing import write_schema

            return write_schema(console)
        case _:
            from seemly.cli.bench import bench

            return bench(console, args.channel, args.tier, models, as_json=args.json)


def _job(args: argparse.Namespace) -> Job:
    from seemly.cli.inputs import Columns
    from seemly.cli.moderate import Job

    return Job(
        texts=tuple(args.texts),
        media=tuple((kind, path) for kind in ("image", "video", "audio") for path in getattr(args, kind)),
        fetch=args.fetch,
        files=tuple(args.file),
        format=args.format,
        columns=Columns(args.text_field, args.id_field),
        channel=args.channel,
        tier=args.tier,
        explain=args.explain or args.command == "explain",
        json=args.json,
        extended=args.extended,
        paths=tuple(split_names(args.fields)),
        fail_on=args.fail_on,
        batch_size=args.batch_size,
        quiet=args.quiet,
    )


def _example_files(args: argparse.Namespace) -> ExampleFiles:
    from seemly.cli.example_files import ExampleFiles, parse_labels

    return ExampleFiles(tuple(args.files), args.text_field, parse_labels(args.labels))


def _silence(console: Console) -> None:
    """Let nothing that is still in a buffer complain again when the process ends."""
    with suppress(OSError, ValueError):
        stdout = console.stdout.fileno()
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout)


def _serve_job(args: argparse.Namespace) -> ServeJob:
    from seemly.cli.serve import ServeJob

    known = {each.name for each in fields(ServeJob)}
    given = {name: value for name, value in vars(args).items() if name in known and value is not None}
    return ServeJob(**given, worker=not getattr(args, "no_worker", False))
