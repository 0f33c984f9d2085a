"""The parts that notebook views and reports are built of: style, escaping, bars, one colour a policy."""

from __future__ import annotations

from colorsys import hls_to_rgb
from html import escape
from zlib import crc32

__all__ = ["STYLE", "escape_text", "find_colour", "find_hue", "render_bar", "render_view"]

_HUES = {
    "toxicity": 12, "toxicity_severe": 355, "hate": 275, "harassment": 62, "violence": 100, "sexual": 318,
    "flirtation": 335, "self_harm": 245, "grooming": 295, "spam": 48, "profanity": 32, "personal_information": 210,
    "url": 185, "unicode_spoofing": 155, "prompt_injection": 228,
}  # fmt: skip
"""The hue, in degrees, of each policy that most people meet; any other has one computed from its id."""

STYLE = """
.seemly { --ink: #1f2328; --quiet: #59636e; --line: #d0d7de; --paper: #ffffff; --track: #eaeef2; --light: 45%;
  --wash: 88%; --allow: #1a7f37; --review: #9a6700; --reject: #cf222e;
  font: 14px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); border: 1px solid var(--line);
  border-radius: 8px; padding: 12px 16px; max-width: 60rem; }
@media (prefers-color-scheme: dark) { .seemly { --ink: #e6edf3; --quiet: #9198a1; --line: #3d444d; --paper: #0d1117;
  --track: #262c36; --light: 62%; --wash: 26%; --allow: #3fb950; --review: #d29922; --reject: #f85149; } }
.seemly p { margin: 0 0 8px; }
.seemly .action { font-weight: 700; text-transform: uppercase; letter-spacing: .03em; margin-right: .5em; }
.seemly .allow { color: var(--allow); } .seemly .review { color: var(--review); }
.seemly .reject { color: var(--reject); }
.seemly .quiet { color: var(--quiet); font-size: 12px; }
.seemly .text { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 3px solid var(--line);
  padding: 4px 10px; margin: 0 0 10px; }
.seemly mark { color: inherit; border-radius: 3px; padding: 0 1px;
  background: hsl(var(--hue) 70% var(--wash) / var(--strength, 1));
  border-bottom: 2px solid hsl(var(--hue) 65% var(--light)); }
.seemly .kind { font-size: 10px; margin-left: 2px; color: hsl(var(--hue) 65% var(--light)); user-select: none; }
.seemly .bars { display: grid; grid-template-columns: max-content minmax(8rem, 1fr) max-content; gap: 4px 12px;
  align-items: center; margin: 4px 0 8px; font-variant-numeric: tabular-nums; }
.seemly .bar { position: relative; height: 10px; border-radius: 5px; background: var(--track); overflow: hidden; }
.seemly .fill { position: absolute; inset: 0 auto 0 0; background: hsl(var(--hue) 65% var(--light)); opacity: .55; }
.seemly .bar.flagged .fill { opacity: 1; }
.seemly .tick { position: absolute; top: 0; bottom: 0; width: 2px; margin-left: -1px; background: var(--ink); }
.seemly .name { border-left: 4px solid hsl(var(--hue) 65% var(--light)); padding-left: 8px; }
.seemly .name.flagged { font-weight: 600; }
.seemly .tiles { display: flex; flex-wrap: wrap; gap: 8px 28px; margin: 0 0 12px; }
.seemly .tile span { display: block; font-size: 26px; font-weight: 650; line-height: 1.2; }
.seemly table { border-collapse: collapse; margin: 12px 0; font-variant-numeric: tabular-nums; color: inherit; }
.seemly caption { text-align: left; font-weight: 600; padding-bottom: 4px; color: inherit; }
.seemly th, .seemly td { border-bottom: 1px solid var(--line); padding: 2px 12px 2px 0; text-align: left;
  vertical-align: top; background: none; }
.seemly summary { cursor: pointer; color: var(--quiet); font-size: 12px; }
"""
"""The style of everything within an element of the class `seemly`, for light and dark pages."""


def escape_text(text: str) -> str:
    """Return a text escaped, with lone surrogates replaced, since a page cannot carry them."""
    return escape(text.encode("utf-8", "replace").decode("utf-8"))


def find_hue(policy: str) -> int:
    """Return the hue of a policy's colour, 0 to 359, the same everywhere."""
    return _HUES.get(policy, crc32(policy.encode("utf-8", "replace")) % 360)


def find_colour(policy: str) -> tuple[float, float, float]:
    """Return the colour of a policy on white, as red, green and blue from 0 to 1."""
    return hls_to_rgb(find_hue(policy) / 360, 0.45, 0.65)


def render_bar(policy: str, value: float, mark: float | None, *, strong: bool) -> str:
    """Return a bar of a value from 0 to 1 in the policy's colour, with a mark at the threshold."""
    tick = "" if mark is None else f'<span class="tick" style="left:{mark:.1%}" title="threshold {mark:.2f}"></span>'
    kind = "bar flagged" if strong else "bar"
    fill = f'<span class="fill" style="width:{value:.1%}"></span>'
    return f'<div class="{kind}" style="--hue:{find_hue(policy)}">{fill}{tick}</div>'


def render_view(*parts: str) -> str:
    """Return parts as one view that brings its own style."""
    return f'<div class="seemly"><style>{STYLE}</style>{"".join(parts)}</div>'
