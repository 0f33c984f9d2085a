"""mkdocs calls these functions: they add the generated reference pages and list the how-to folder in the menu."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))

import http_reference
import reference

_PYTHON = {
    "Engine": ("engine", ("seemly.Engine", "seemly.Rejected", "seemly.Explanation", "seemly.ConversationMemory",
                          "seemly.Models")),
    "Channel": ("channel", ("seemly.Channel", "seemly.PolicySettings", "seemly.Triage", "seemly.Rule",
                            "seemly.Condition", "seemly.Wordlist", "seemly.Hashlist", "seemly.Calibration")),
    "Content": ("content", ("seemly.Submission", "seemly.Text", "seemly.Object", "seemly.Image", "seemly.Video",
                            "seemly.Audio", "seemly.Author", "seemly.Block", "seemly.ClientAction", "seemly.Turn",
                            "seemly.Span")),
    "Results": ("results", ("seemly.ModerationResult", "seemly.PolicyResult", "seemly.MediaResult",
                            "seemly.engine.result")),
    "Policies": ("policies", ("seemly.policies.protocol", "seemly.Registry")),
    "Options of policies": ("options", ("seemly.policies.pii.options", "seemly.policies.url.policy.UrlOptions",
                                        "seemly.policies.profanity.policy.ProfanityOptions",
                                        "seemly.policies.spoofing.SpoofingOptions")),
    "Text functions": ("functions", ("seemly.censor", "seemly.contains_profanity", "seemly.verify_signature")),
    "Errors": ("errors", ("seemly.core.errors",)),
    "Evaluation": ("evaluation", ("seemly.evaluation.evaluate", "seemly.evaluation.find_thresholds",
                                  "seemly.evaluation.fit_thresholds", "seemly.evaluation.calibrate",
                                  "seemly.evaluation.replay", "seemly.evaluation.compare",
                                  "seemly.evaluation.agreement", "seemly.evaluation.read_examples",
                                  "seemly.evaluation.Example", "seemly.evaluation.Costs",
                                  "seemly.evaluation.results", "seemly.evaluation.metrics",
                                  "seemly.evaluation.FittedThreshold", "seemly.evaluation.replay_results",
                                  "seemly.evaluation.Comparison", "seemly.evaluation.Agreement",
                                  "seemly.evaluation.report")),
    "Voice": ("voice", ("seemly.VoiceSession", "seemly.voice.events")),
    "Media": ("media", ("seemly.Decoder", "seemly.media.image", "seemly.adapters.http.fetch.Fetcher")),
    "Service": ("service", ("seemly.adapters.server.create_app", "seemly.adapters.store.SqlStore",
                            "seemly.service.moderation.moderation.Moderation")),
    "Testing": ("testing", ("seemly.testing",)),
}  # fmt: skip
"""The pages of the Python reference: the file's name and what each documents."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill the two parts of the menu that are written as one word."""
    folder = Path(config.docs_dir) / "how-to"
    pages = sorted((page for page in folder.glob("*.md") if page.name != "index.md"), key=_title)
    how_to: list[Any] = ["how-to/index.md", *({_title(page): f"how-to/{page.name}"} for page in pages)]
    python: list[Any] = [{title: f"reference/python/{name}.md"} for title, (name, _) in _PYTHON.items()]
    filled = {"HOW_TO": how_to, "PYTHON": python}
    assert config.nav is not None
    for entry in config.nav:
        for title, value in entry.items():
            if isinstance(value, list):
                entry[title] = [_fill(each, filled) for each in value]
            else:
                entry[title] = filled.get(value, value)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    pages = {
        "reference/entities.md": reference.write_entities(),
        "reference/channel.md": reference.write_channel_schema(),
        "reference/cli.md": reference.write_command_line(),
        "reference/http.md": http_reference.write_http(),
    }
    root = Path(config.docs_dir).parent
    contributing = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    pages["contributing.md"] = contributing.replace("](docs/", "](")
    for name in ("text-fast", "text-accurate", "language"):
        pages[f"evidence/cards/{name}.md"] = (root / "models" / name / "CARD.md").read_text(encoding="utf-8")
    for title, (name, documented) in _PYTHON.items():
        body = "\n\n".join(f"::: {each}" for each in documented)
        pages[f"reference/python/{name}.md"] = f"# {title}\n\n{body}\n"
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: MkDocsConfig, files: Files) -> str:
    """Put generated tables in the place of their markers."""
    return re.sub(r"<!-- table: (\w+) -->", lambda match: reference.TABLES[match[1]](), markdown)


def _fill(entry: Any, filled: dict[str, Any]) -> Any:
    if not isinstance(entry, dict):
        return entry
    return {title: filled.get(value, value) if isinstance(value, str) else value for title, value in entry.items()}


def _title(page: Path) -> str:
    """The first heading of a page."""
    found = re.search(r"^# (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else page.stem
