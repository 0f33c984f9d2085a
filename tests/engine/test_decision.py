from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from seemly.core.channel import PRESETS, Action, Channel, Condition, Rule, Triage
from seemly.core.content import Author, ClientAction, Submission, Text
from seemly.engine.decision import STRICTNESS, FailedPolicy, decide, measure_severity
from seemly.engine.rules import Verdict
from seemly.policies.protocol import Finding
from tests.support.strategies import actions, probabilities, rules, triages, verdicts

PLAIN = Submission(content=Text("x"))

submissions = st.builds(
    Submission,
    content=st.just(Text("x")),
    metadata=st.fixed_dictionaries({}, optional={"n": probabilities}),
    author=st.none() | st.builds(Author, st.just("a"), trust_level=st.integers(-1, 4)),
    client_action=st.none() | st.builds(ClientAction, actions, st.sampled_from(["override", "escalate"])),
)


def _verdict(probability: float, policy: str = "one", **settings: Any) -> Verdict:
    return Verdict(
        policy,
        Finding(probability),
        settings.get("threshold", 0.5),
        settings.get("weight", 1.0),
        settings.get("flag", True),
        max_action=settings.get("max_action", "reject"),
    )


def _action(
    channel: Channel, *found: Verdict, submission: Submission = PLAIN, failed: tuple[FailedPolicy, ...] = ()
) -> Action:
    return decide(channel, submission, found, failed).recommendation.action


@given(probabilities, probabilities, st.floats(0.01, 1.0), probabilities)
def test_severity_rises_with_the_probability(a: float, b: float, threshold: float, weight: float) -> None:
    low, high = sorted([a, b])
    assert 0.0 <= measure_severity(low, threshold, weight) <= measure_severity(high, threshold, weight) <= 1.0


@given(probabilities, probabilities)
def test_severity_is_a_half_exactly_at_the_threshold(threshold: float, weight: float) -> None:
    assert measure_severity(threshold, threshold, weight) == 0.5


@pytest.mark.parametrize(
    ("probability", "threshold", "weight", "severity"),
    [(0.25, 0.5, 1.0, 0.25), (0.75, 0.5, 1.0, 0.75), (1.0, 0.5, 0.6, 0.8), (1.0, 0.5, 1.0, 1.0), (0.5, 1.0, 1.0, 0.25), (1.0, 1.0, 1.0, 0.5), (0.0, 0.0, 1.0, 0.5), (1.0, 0.0, 1.0, 1.0)],
)  # fmt: skip
def test_severity(probability: float, threshold: float, weight: float, severity: float) -> None:
    assert measure_severity(probability, threshold, weight) == pytest.approx(severity)


@given(st.floats(0.01, 0.99), probabilities)
def test_a_policy_of_small_weight_alone_never_rejects_when_balanced(threshold: float, probability: float) -> None:
    assert _action(Channel(), _verdict(probability, threshold=threshold, weight=0.6)) != "reject"


@given(triages(), verdicts(), submissions, st.integers(0, 2), probabilities)
def test_more_probability_never_makes_the_action_milder(
    triage: Triage, found: tuple[Verdict, ...], submission: Submission, which: int, more: float
) -> None:
    assume(more >= found[which].finding.probability)
    worse = tuple(each._replace(finding=Finding(more)) if i == which else each for i, each in enumerate(found))
    channel = Channel(triage=triage)
    before, after = decide(channel, submission, found), decide(channel, submission, worse)
    assert STRICTNESS[after.recommendation.action] >= STRICTNESS[before.recommendation.action]
    assert after.evaluation.severity_score >= before.evaluation.severity_score
    assert after.evaluation.flagged >= before.evaluation.flagged


@given(triages(), verdicts(), rules(), submissions, st.permutations([0, 1, 2]))
def test_the_order_of_policies_makes_no_difference(
    triage: Triage, found: tuple[Verdict, ...], its_rules: tuple[Rule, ...], submission: Submission, order: list[int]
) -> None:
    channel = Channel(triage=triage, rules=its_rules)
    assert decide(channel, submission, found) == decide(channel, submission, [found[i] for i in order])


@given(triages(), verdicts(), rules(), submissions, actions, st.integers(0, 2), st.integers(0, 2))
def test_a_failure_is_never_milder_than_finding_nothing(
    triage: Triage,
    found: tuple[Verdict, ...],
    its_rules: tuple[Rule, ...],
    submission: Submission,
    on_failure: Action,
    which: int,
    also: int,
) -> None:
    channel = Channel(triage=triage, rules=its_rules)
    zero = [each._replace(finding=replace(each.finding, probability=0.0)) for each in found]
    others_failed = [FailedPolicy(on_failure, zero[also])] if also != which else []
    kept = [each for i, each in enumerate(found) if i not in (which, also)]
    at_zero = decide(channel, submission, [*kept, zero[which]], others_failed)
    failed = decide(channel, submission, kept, [FailedPolicy(on_failure, zero[which]), *others_failed])
    assert STRICTNESS[failed.recommendation.action] >= STRICTNESS[at_zero.recommendation.action]
    assert STRICTNESS[failed.recommendation.action] >= STRICTNESS[on_failure]


@pytest.mark.parametrize(
    ("preset", "action", "codes"),
    [
        ("balanced", "review", ("severity_review", "severity_capped")),
        ("strict", "review", ("severity_review", "severity_capped")),
        ("always_review", "review", ("severity_review",)),
        ("skip_reviewing", "review", ("severity_review", "severity_capped")),
    ],
)
def test_a_capped_policy_alone_never_rejects(preset: str, action: Action, codes: tuple[str, ...]) -> None:
    channel = Channel(triage=PRESETS[preset])
    found = decide(channel, PLAIN, [_verdict(1.0, max_action="review"), _verdict(0.1, "two")])
    assert (found.recommendation.action, found.recommendation.reason_codes) == (action, codes)
    assert found.evaluation.severity_score == 1.0


def test_an_uncapped_policy_rejects_beside_a_capped_one() -> None:
    found = decide(Channel(), PLAIN, [_verdict(1.0, max_action="review"), _verdict(0.95, "two")])
    assert found.recommendation.reason_codes == ("severity_reject",)


def test_rules_decide_over_capped_policies_as_written() -> None:
    rule = Rule("all", (Condition("policy.one.flagged", "is", True),), "reject")
    assert _action(Channel(rules=(rule,)), _verdict(1.0, max_action="review")) == "reject"


@given(verdicts(), triages(), submissions)
def test_a_dry_run_never_flags_and_tells_what_it_would_have_done(
    found: tuple[Verdict, ...], triage: Triage, submission: Submission
) -> None:
    active = Channel(triage=triage)
    dry = decide(replace(active, flagging_mode="DRY_RUN"), submission, found)
    assert not dry.evaluation.flagged
    assert dry.recommendation.action == "allow"
    assert dry.recommendation.reason_codes == ("dry_run",)
    assert dry.trace.would_be == decide(active, submission, found).recommendation


@given(verdicts())
def test_policies_that_do_not_flag_touch_neither_severity_nor_triage(found: tuple[Verdict, ...]) -> None:
    quiet = tuple(each._replace(flag=False) for each in found)
    decision = decide(Channel(), PLAIN, quiet)
    assert (decision.evaluation.severity_score, decision.evaluation.flag_probability) == (0.0, 0.0)
    assert decision.recommendation.action == "allow"
    assert decision.evaluation.shadow_flagged == any(each.crossed for each in quiet)


@pytest.mark.parametrize(
    ("preset", "severity", "action", "code"),
    [
        ("balanced", 0.49, "allow", None),
        ("balanced", 0.5, "review", "severity_review"),
        ("balanced", 0.9, "reject", "severity_reject"),
        ("strict", 0.4, "review", "severity_review"),
        ("strict", 0.7, "reject", "severity_reject"),
        ("forgiving", 0.69, "allow", None),
        ("skip_reviewing", 0.74, "allow", None),
        ("skip_reviewing", 0.75, "reject", "severity_reject"),
        ("always_review", 1.0, "review", "severity_review"),
        ("review_everything", 0.0, "review", "severity_review"),
        ("allow_everything", 1.0, "allow", None),
    ],
)
def test_triage(preset: str, severity: float, action: str, code: str | None) -> None:
    decision = decide(Channel(triage=PRESETS[preset]), PLAIN, [_verdict(severity)])
    assert decision.evaluation.severity_score == pytest.approx(severity)
    assert decision.recommendation.action == action
    assert decision.recommendation.reason_codes == (() if code is None else (code,))


@pytest.mark.parametrize("status", ["blocked", "suspended"])
def test_content_of_a_blocked_author_is_rejected_whatever_else(status: Any) -> None:
    submission = replace(PLAIN, author=Author("a", status=status), client_action=ClientAction("allow", "override"))
    decision = decide(Channel(rules=(Rule("all", (), "allow"),)), submission, [_verdict(0.0)])
    assert decision.recommendation.action == "reject"
    assert decision.recommendation.reason_codes == ("author_block",)
    assert decision.trace.decided_by == "author_block"


@pytest.mark.parametrize(
    ("trust", "severity", "action", "codes"),
    [
        (3, 0.6, "allow", ("trusted_allow",)),
        (3, 0.95, "reject", ("severity_reject",)),
        (2, 0.6, "review", ("severity_review",)),
        (-1, 0.35, "review", ("untrusted_severity",)),
        (0, 0.35, "allow", ()),
        (-1, 0.2, "allow", ()),
    ],
)
def test_trust_levels(trust: int, severity: float, action: str, codes: tuple[str, ...]) -> None:
    channel = Channel(triage=Triage(0.5, 0.9, trusted_from=3, untrusted_review=0.3))
    submission = replace(PLAIN, author=Author("a", trust_level=trust))
    recommendation = decide(channel, submission, [_verdict(severity)]).recommendation
    assert (recommendation.action, recommendation.reason_codes) == (action, codes)


@pytest.mark.parametrize(
    ("client", "severity", "action", "codes"),
    [
        (ClientAction("reject"), 0.1, "reject", ("client_override",)),
        (ClientAction("allow"), 0.6, "review", ("severity_review",)),
        (ClientAction("review"), 0.6, "review", ("severity_review",)),
        (ClientAction("allow", "override"), 0.95, "allow", ("client_override",)),
        (ClientAction("review", "override"), 0.95, "review", ("client_override",)),
    ],
)
def test_client_actions(client: ClientAction, severity: float, action: str, codes: tuple[str, ...]) -> None:
    decision = decide(Channel(), replace(PLAIN, client_action=client), [_verdict(severity)])
    assert (decision.recommendation.action, decision.recommendation.reason_codes) == (action, codes)
    assert decision.evaluation.flagged == (severity >= 0.5)


def test_the_first_rule_that_matches_decides() -> None:
    channel = Channel(
        rules=(
            Rule("never", (Condition("severity", "at_least", 2),), "reject"),
            Rule("first", (Condition("policy.one.flagged", "is", True),), "allow", "The first"),
            Rule("second", (), "reject"),
        )
    )
    decision = decide(channel, PLAIN, [_verdict(0.95)])
    assert decision.recommendation.action == "allow"
    assert decision.recommendation.reason_codes == ("rule_match", "rule:first")
    assert [(rule.key, rule.name) for rule in decision.recommendation.matched_rules] == [("first", "The first")]
    assert decision.trace.rule == "first"
    assert _action(channel, _verdict(0.1)) == "reject"


def test_a_failure_is_told_in_the_reason_codes() -> None:
    decision = decide(Channel(), PLAIN, [_verdict(0.1)], [FailedPolicy("review")])
    assert decision.recommendation.reason_codes == ("policy_error",)
    assert decision.trace.decided_by == "failure"
    assert _action(Channel(), _verdict(0.1), failed=(FailedPolicy("allow"),)) == "allow"
    assert _action(Channel(), _verdict(0.95), failed=(FailedPolicy("allow"),)) == "reject"
    assert _action(Channel(), failed=(FailedPolicy("reject"),)) == "reject"


def test_the_trace_names_the_gravest_policy() -> None:
    trace = decide(
        Channel(),
        PLAIN,
        [_verdict(0.6, "one"), _verdict(0.58, "two", threshold=0.2), _verdict(0.9, "quiet", flag=False)],
    ).trace
    assert (trace.policy, trace.threshold, trace.decided_by) == ("two", 0.2, "triage")
