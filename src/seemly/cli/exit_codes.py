"""The exit codes."""

from __future__ import annotations

__all__ = ["BAD_ROWS", "BROKEN_PIPE", "DONE", "INTERRUPTED", "MET", "UNUSABLE"]

DONE = 0
BAD_ROWS = 1
"""Some rows could not be moderated; every other was."""
UNUSABLE = 2
"""The command line or the configuration cannot work, or the output cannot be written."""
MET = 3
"""An action that `--fail-on` names was met, whether or not there were bad rows too."""
INTERRUPTED = 130
BROKEN_PIPE = 141
"""Whoever read the results stopped reading: as the shell reports any program that SIGPIPE ends."""
