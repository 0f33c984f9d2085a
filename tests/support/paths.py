"""Folders of the checkout that tests read."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "models"
TABLES = ROOT / "tests" / "tables"
EXAMPLES = ROOT / "examples"
