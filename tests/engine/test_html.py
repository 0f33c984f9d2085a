from __future__ import annotations

import re
from itertools import pairwise

import pytest

from seemly.core.channel import Channel, Condition, PolicySettings, Rule, Triage
from seemly.core.content import Author, ClientAction, Object, Submission
from seemly.engine.engine import Engine
from seemly.engine.html import Mark, highlight
from seemly.engine.html_parts import find_hue, render_bar
from seemly.engine.wording import say_decision
from seemly.policies.builtin import BUILTIN
from seemly.policies.classifier import CLASSIFIERS
from seemly.policies.registry import Registry
from seemly.testing import FailingPolicy, FakeModels

MODELS = FakeModels({"so so": {"toxicity": 0.31}, "bad": {"toxicity": 0.97}})
REGISTRY = Registry([*CLASSIFIERS, BUILTIN["personal_information"]])


def moderate(content: object, **channel: object) -> object:
    return Engine(Channel(**channel), registry=REGISTRY, models=MODELS).moderate(content)


@pytest.mark.parametrize(
    ("content", "channel", "sentence"),
    [
        ("bad", {}, r"reject: the largest severity, 0\.97, is that of toxicity, which reached its threshold of 0\.50"),
        (
            "so so",
            {},
            r"allow: no policy reached its threshold; the largest severity, 0\.31, is that of toxicity, below its "
            r"threshold of 0\.50",
        ),
        ("bad", {"policies": tuple(PolicySettings(each.id, flag=False) for each in REGISTRY)},
         "allow: no policy counts for severity"),
        ("bad", {"policies": (PolicySettings("toxicity", max_action="review"),)},
         r"review: .* threshold of 0\.50; the policies that reached the reject threshold may at most cause a review"),
        (Submission(content="so so", author=Author("a", status="blocked")), {},
         "reject: the author is blocked or suspended"),
        ("bad", {"rules": (Rule("r", (Condition("any_flagged", "is"),), "allow"),)}, "allow: the rule 'r' matched"),
        (Submission(content="bad", client_action=ClientAction("allow", "override")), {},
         "allow: the client's own action decided"),
        ("bad", {"flagging_mode": "DRY_RUN"}, "allow: the channel is in DRY_RUN; active, it would be reject"),
        (Submission(content="bad", author=Author("a", trust_level=4)),
         {"triage": Triage(0.5, 1.0, trusted_from=4)}, r"allow: .*0\.50; the author is trusted"),
    ],
)  # fmt: skip
def test_the_sentence_says_what_decided(content: object, channel: dict[str, object], sentence: str) -> None:
    assert re.fullmatch(sentence, say_decision(moderate(content, **channel)))


def test_a_failure_that_decided_is_said() -> None:
    engine = Engine(registry=Registry([*CLASSIFIERS, FailingPolicy.spec("broken")]), models=MODELS)
    assert say_decision(engine.moderate("so so")).startswith("review: a policy failed")


def test_a_view_has_the_sentence_the_bars_and_the_kinds() -> None:
    page = moderate("bad")._repr_html_()
    assert 'class="action reject">reject</span>the largest severity' in page
    assert f'style="--hue:{find_hue("toxicity")}"><span class="fill" style="width:97.0%"></span>' in page
    assert '<span class="tick" style="left:50.0%"' in page
    assert "prefers-color-scheme: dark" in page
    assert "<mark" not in page
    page = moderate("write to jo@example.com")._repr_html_()
    assert re.search(r"<mark[^>]*>jo@example.com</mark><span class=\"kind\"[^>]*>email</span>", page)
    assert "masked: write to {{ email hidden }}" in page


def test_policies_that_found_next_to_nothing_are_folded_away() -> None:
    page = moderate("bad")._repr_html_()
    before, folded = page.split("<details>")
    assert ">toxicity<" in before
    assert ">spam<" in folded
    assert f"{len(REGISTRY) - 1} policies below" in folded


@pytest.mark.parametrize("field", ["<i>", "\ud800", '" onload="x'])
def test_field_names_and_ids_are_escaped(field: str) -> None:
    page = moderate(Object({field: "bad"}))._repr_html_()
    assert field not in page
    assert page.encode("utf-8")


def test_of_marks_that_overlap_the_first_stays() -> None:
    page = highlight("abcdef", [Mark(2, 5, "b", "second", 1.0), Mark(0, 3, "a", "<first>", 0.0, "<kind>")])
    assert re.findall(r"<mark[^>]*>(.*?)</mark>", page) == ["abc"]
    assert "&lt;first&gt;" in page
    assert "&lt;kind&gt;" in page


@pytest.mark.parametrize("policy", [*(each.id for each in BUILTIN), "wordlist:own", "\ud800"])
def test_a_policy_has_one_colour(policy: str) -> None:
    assert find_hue(policy) == find_hue(policy)
    assert 0 <= find_hue(policy) < 360
    assert f"--hue:{find_hue(policy)}" in render_bar(policy, 0.5, None, strong=False)


def test_the_policies_that_people_meet_most_differ_in_colour() -> None:
    ids = ("toxicity", "hate", "violence", "sexual", "self_harm", "spam", "personal_information", "url")
    hues = sorted(map(find_hue, ids))
    assert all(later - earlier >= 20 for earlier, later in pairwise(hues))
