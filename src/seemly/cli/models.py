"""`seemly models check`: what is wrong with a text model of one's own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from seemly.cli.exit_codes import DONE, UNUSABLE
from seemly.core.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from seemly.cli.streams import Console

__all__ = ["check_model"]


def check_model(console: Console, folder: Path, labels: Sequence[str], *, as_json: bool) -> int:
    """Write what a check of the folder found. Raises ConfigError for labels that are not `CLASS=LABEL`."""
    try:
        from seemly.adapters.onnx_text_check import check_folder
    except ModuleNotFoundError as error:
        raise ConfigError('models of your own need an extra: pip install "seemly[onnx-text]"') from error
    pairs = [each.partition("=") for each in labels]
    if not all(name and label for name, _, label in pairs):
        raise ConfigError("--labels must be CLASS=LABEL, several with commas between them")
    report = check_folder(folder, {name: label for name, _, label in pairs} or None)
    if as_json:
        found = {
            "works": not report.issues,
            "issues": [each.to_dict() for each in report.issues],
            "remarks": [each.to_dict() for each in report.remarks],
            "classes": report.classes,
            "labels": report.labels,
            "milliseconds": report.milliseconds,
        }
        console.write(json.dumps(found))
        return UNUSABLE if report.issues else DONE
    for issue in report.issues:
        console.write(f"wrong: {issue}")
    for remark in report.remarks:
        console.write(f"note: {remark}")
    if report.milliseconds is not None:
        console.write(f"classes: {', '.join(report.classes)}")
        console.write(f"labels: {', '.join(report.labels)}")
        console.write(f"a short text takes {report.milliseconds:.1f} ms")
    console.write("the model cannot be used" if report.issues else "the model works")
    return UNUSABLE if report.issues else DONE
