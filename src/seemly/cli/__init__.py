"""The command line: the place that wires engine, files and terminal together."""

from __future__ import annotations

from seemly.cli.main import main

__all__ = ["main"]
