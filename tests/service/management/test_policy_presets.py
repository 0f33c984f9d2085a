import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly.core.channel import Channel, PolicySettings
from seemly.policies.builtin import BUILTIN
from seemly.service.management.policy_presets import KIDS, PLATFORMS, Platform, suggest_policies

texts = st.none() | st.sampled_from(sorted({word for each in PLATFORMS for word in each.words})) | st.text(max_size=20)


def suggested(policies: tuple[PolicySettings, ...]) -> dict[str, tuple[bool | None, float | None]]:
    return {each.id: (each.flag, each.threshold) for each in policies}


def test_every_suggestion_is_of_a_policy_that_there_is() -> None:
    for platform in PLATFORMS:
        assert {each.id for each in platform.policies} <= {spec.id for spec in BUILTIN}
        assert len({each.id for each in platform.policies}) == len(platform.policies)


@pytest.mark.parametrize("platform", PLATFORMS, ids=lambda each: each.name)
def test_each_kind_is_known_by_its_words(platform: Platform) -> None:
    for word in platform.words:
        assert suggested(suggest_policies(context=f"We run a {word.upper()}!")) == suggested(platform.policies)


@pytest.mark.parametrize(
    ("domain", "context", "policy", "flag", "threshold"),
    [("pets.marketplace.example", None, "spam", True, 0.4), ("example.com", "A multiplayer game.", "violence", True, 0.75), (None, "singles meet here", "flirtation", False, None), (None, "stories for children", "sexual", True, 0.25), (None, "patients ask doctors", "self_harm", True, 0.3), ("news.example", None, "violence", True, 0.7), (None, "Group chat for neighbours", "profanity", False, None)],
)  # fmt: skip
def test_suggestions(domain: str | None, context: str | None, policy: str, flag: bool, threshold: float | None) -> None:
    assert suggested(suggest_policies(domain, context))[policy] == (flag, threshold)


def test_nothing_is_suggested_where_nothing_is_known() -> None:
    assert suggest_policies() == ()
    assert suggest_policies("example.com", "All about gardens.", "") == ()


def test_of_several_kinds_the_strictest_counts() -> None:
    found = suggested(suggest_policies(context="a dating game", used_by_minors=True))
    assert found["flirtation"] == (True, 0.35)
    assert found["profanity"] == (True, 0.35)
    assert found["violence"] == (True, 0.35)
    assert found["sexual"] == (True, 0.25)


@given(texts, texts, texts, st.booleans())
def test_a_channel_can_always_be_made_of_them(
    domain: str | None, context: str | None, brief: str | None, minors: bool
) -> None:
    policies = suggest_policies(domain, context, brief, used_by_minors=minors)
    assert Channel(policies=policies).policies == policies
    if minors:
        found = suggested(policies)
        assert all(
            found[each.id][0] and (found[each.id][1] or 0.5) <= (each.threshold or 0.5) for each in KIDS.policies
        )
