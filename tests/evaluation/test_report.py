from __future__ import annotations

import base64
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.util import find_spec

import pytest

from seemly.core.channel import Channel, PolicySettings, Wordlist
from seemly.core.errors import ConfigError
from seemly.evaluation import evaluate, find_thresholds, replay
from seemly.evaluation import report as report_module
from seemly.evaluation.examples import Example
from seemly.evaluation.report import render_evaluation, render_replay
from seemly.evaluation.results import Evaluation
from seemly.text.normalize import normalize
from tests.support.evaluation_fakes import build_engine, draw_pairs, spread

needs_matplotlib = pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed")

HOSTILE = "</div><script>alert('&')</script> \ud800 <img src=x onerror=alert(1)>"


class Page(HTMLParser):
    """The tags of a page, each with its attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def as_read(text: str) -> str:
    """What the model gets to see of a text."""
    return normalize(text).plain.text


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    scores, examples = spread(draw_pairs())
    scores[as_read(HOSTILE)] = {"toxicity": 0.97}
    hostile = Example(HOSTILE, {"toxicity": 0.0}, {"<b>": "<i>"}, id="<u>")
    return evaluate(
        build_engine(scores, Channel(key="<s>")), [*examples, hostile, Example("x" * 100_001)], slices=("<b>",)
    )


def test_everything_of_the_content_is_escaped(evaluation: Evaluation) -> None:
    text = render_evaluation(evaluation, about="from <here>")
    page = Page(text)
    assert page.open == []
    assert not {tag for tag, _ in page.tags} & {"script", "b", "i", "u", "s", "here"}
    assert all(not name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert HOSTILE.replace("\ud800", "?") in page.text
    assert "Evaluation of <s>" in page.text
    assert "from <here>" in page.text
    text.encode("utf-8")


def test_the_page_needs_nothing_else(evaluation: Evaluation) -> None:
    for tag, attributes in Page(render_evaluation(evaluation)).tags:
        assert tag not in ("link", "iframe", "object")
        assert attributes.get("src", "data:").startswith("data:")


def test_errors_are_folded_away_and_rows_left_out_are_named(evaluation: Evaluation) -> None:
    text = render_evaluation(evaluation)
    folded = re.findall(r"<details><summary>(.*?)</summary>(.*?)</details>", text, re.DOTALL)
    assert [title for title, _ in folded] == ["toxicity: false positives", "toxicity: false negatives", "1 left out"]
    assert text.count("onerror") == folded[0][1].count("onerror") == 1
    assert "0.970, row 201, &lt;u&gt;" in folded[0][1]
    assert "row 202" in folded[2][1]


def test_a_long_text_is_cut() -> None:
    engine = build_engine({"a" * 5000: {"toxicity": 0.9}})
    found = evaluate(engine, [Example("a" * 5000, {"toxicity": 0.0}), Example("fine", {"toxicity": 0.0})])
    text = render_evaluation(found)
    assert f"{'a' * 1999}…" in text
    assert "a" * 2000 not in text


def test_fitted_thresholds_have_a_table(evaluation: Evaluation) -> None:
    fitted = find_thresholds(evaluation, target="precision>=0.9")
    text = render_evaluation(evaluation, fitted)
    assert f"<td>precision&gt;=0.9</td><td>0.500</td><td>{fitted[0].threshold:.3f}</td>" in text


@needs_matplotlib
def test_plots_are_pictures_in_the_page(evaluation: Evaluation) -> None:
    text = render_evaluation(evaluation)
    pictures = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', text)
    assert len(pictures) == 5
    assert all(b"<svg" in base64.b64decode(each) for each in pictures)
    assert text == render_evaluation(evaluation)
    assert "There are no plots" not in text


@needs_matplotlib
def test_an_id_with_dollar_signs_is_no_formula() -> None:
    from matplotlib import pyplot

    channel = Channel(wordlists=(Wordlist("$\\nothing$", ("casino",)),))
    examples = [Example(text, {"wordlist:$\\nothing$": text != "fine"}) for text in ("fine", "casino", "roulette")]
    assert render_evaluation(evaluate(build_engine({}, channel), examples)).count("<img") == 5
    assert pyplot.get_fignums() == []


@needs_matplotlib
def test_what_has_no_curve_has_the_other_plots() -> None:
    found = evaluate(build_engine({}), [Example("fine", {"toxicity": 0.0})])
    assert re.findall(r'alt="([^"]+)"', render_evaluation(found)) == [
        "reliability",
        "probabilities of negatives and positives",
        "what was flagged, of what should have been",
    ]


def test_without_matplotlib_the_page_says_what_adds_plots(
    evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def need(module: str) -> object:
        raise ConfigError(f"this needs {module}, which is not installed")

    monkeypatch.setattr(report_module, "need", need)
    text = render_evaluation(evaluation)
    assert "There are no plots: this needs matplotlib, which is not installed" in text
    assert "<img" not in text
    assert "toxicity: false positives" in text


def test_a_replay_shows_what_changes() -> None:
    engine = build_engine({as_read(HOSTILE): {"toxicity": 0.6}, "b": {"toxicity": 0.9}})
    old = evaluate(engine, [Example(HOSTILE, {"toxicity": 0.0}), Example("b", {"toxicity": 1.0})])
    new = Channel(key="<new>", policies=(PolicySettings("toxicity", threshold=0.8),))
    found = replay(engine, new, old)
    text = render_replay(found, about="june.jsonl")
    page = Page(text)
    assert page.open == []
    assert "script" not in {tag for tag, _ in page.tags}
    assert "Replay of default as <new>" in page.text
    assert "1 of 2 examples change" in page.text
    assert "<td>review</td><td>allow</td>" in text
    assert "a run may differ" not in text
    assert "a run may differ" in render_replay(replace(found, exact=False))
