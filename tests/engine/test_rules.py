from typing import Any

import pytest

from seemly.core.channel import Condition, Rule
from seemly.core.content import Author, ClientAction, Submission, Text
from seemly.core.errors import ConfigError
from seemly.core.span import Span
from seemly.engine.rules import Facts, Verdict, check_rules, matches_rule
from seemly.policies.classifier import CLASSIFIERS
from seemly.policies.protocol import Finding, Label, Match

EMAIL = Match(Span(0, 1), "x", 0.9, "email")
VERDICTS = {
    "toxicity": Verdict("toxicity", Finding(0.7, labels=(Label("insult", 0.6),)), 0.5, 1.0, True),
    "url": Verdict("url", Finding(0.9), 0.5, 1.0, False),
    "personal_information": Verdict("personal_information", Finding(0.9, (EMAIL, EMAIL)), 0.5, 1.0, True),
    "wordlist:a.b": Verdict("wordlist:a.b", Finding(0.0), 0.5, 1.0, True),
}
SUBMISSION = Submission(
    content=Text("x"),
    meta_type="comment",
    metadata={"shop": {"country": "DE", "tags": ["new", "hot"]}, "dotted.key": 5, "yes": True, "nothing": None},
    author=Author("a", trust_level=2),
    client_action=ClientAction("review"),
)
FACTS = Facts(VERDICTS, 0.7, "de", SUBMISSION, "comment")


@pytest.mark.parametrize(
    ("field", "operator", "value", "holds"),
    [
        ("policy.toxicity.probability", "at_least", 0.7, True),
        ("policy.toxicity.probability", "at_least", 0.71, False),
        ("policy.toxicity.probability", "at_most", 0.7, True),
        ("policy.toxicity.flagged", "is", True, True),
        ("policy.toxicity.flagged", "is_not", True, False),
        ("policy.url.flagged", "is", True, True),
        ("policy.personal_information.matches", "at_least", 2, True),
        ("policy.wordlist:a.b.matches", "at_most", 0, True),
        ("policy.hate.probability", "at_most", 1.0, False),
        ("policy.hate.probability", "exists", False, True),
        ("label.toxicity.insult", "at_least", 0.6, True),
        ("label.toxicity.threat", "at_most", 1.0, False),
        ("entity.email.count", "is", 2, True),
        ("entity.phone.count", "is", 0, True),
        ("any_flagged", "is", True, True),
        ("severity", "at_least", 0.7, True),
        ("language", "is", "de", True),
        ("language", "in", ["de", "fr"], True),
        ("language", "not_in", ["de", "fr"], False),
        ("author.status", "is", "enabled", True),
        ("author.trust_level", "at_least", 2, True),
        ("author.trust_level", "at_most", 1, False),
        ("meta_type", "is", "comment", True),
        ("client_action", "is", "review", True),
        ("metadata.shop.country", "is", "DE", True),
        ("metadata.shop.country", "contains", "D", True),
        ("metadata.shop.tags", "contains", "hot", True),
        ("metadata.shop.tags", "contains", "ho", False),
        ("metadata.dotted.key", "is", 5, True),
        ("metadata.shop.city", "is_not", "Rome", False),
        ("metadata.shop.city", "exists", False, True),
        ("metadata.shop", "exists", True, True),
        ("metadata.shop.country", "at_least", 1, False),
        ("metadata.yes", "is", True, True),
        ("metadata.yes", "is", 1, False),
        ("metadata.yes", "at_least", 1, False),
        ("metadata.nothing", "exists", False, True),
        ("metadata.nothing", "is_not", "x", False),
        ("metadata.shop.tags", "contains", 1, False),
    ],
)
def test_conditions(field: str, operator: Any, value: Any, holds: bool) -> None:
    assert matches_rule(Rule("r", (Condition(field, operator, value),), "allow"), FACTS) is holds


@pytest.mark.parametrize("field", ["author.status", "author.trust_level", "meta_type", "client_action", "language"])
@pytest.mark.parametrize(("operator", "value"), [("is_not", "x"), ("not_in", ["x"]), ("exists", True)])
def test_a_missing_value_is_unknown_and_matches_nothing(field: str, operator: Any, value: Any) -> None:
    facts = Facts(VERDICTS, 0.0, None, Submission(content=Text("x")))
    assert not matches_rule(Rule("r", (Condition(field, operator, value),), "allow"), facts)


def test_every_condition_must_hold() -> None:
    both = (Condition("language", "is", "de"), Condition("severity", "at_least", 0.9))
    assert not matches_rule(Rule("r", both, "allow"), FACTS)
    assert matches_rule(Rule("r", both[:1], "allow"), FACTS)
    assert matches_rule(Rule("r", (), "allow"), FACTS)


@pytest.mark.parametrize(
    ("field", "operator", "value"),
    [
        ("policy.toxcity.probability", "at_least", 0.5),
        ("policy.toxicity", "at_least", 0.5),
        ("policy.toxicity.score", "at_least", 0.5),
        ("label.toxicity.rudeness", "at_least", 0.5),
        ("entity.email", "at_least", 1),
        ("entity..count", "at_least", 1),
        ("metadata.", "is", 1),
        ("metadata", "is", 1),
        ("severety", "at_least", 0.5),
        ("author.name", "is", "x"),
    ],
)
def test_a_condition_that_could_never_be_tested_is_refused(field: str, operator: Any, value: Any) -> None:
    rules = (
        Rule("fine", (), "allow"),
        Rule("r", (Condition("severity", "at_least", 0), Condition(field, operator, value)), "allow"),
    )
    with pytest.raises(ConfigError) as caught:
        check_rules(rules, {spec.id: spec for spec in CLASSIFIERS})
    assert [issue.path for issue in caught.value.issues] == ["rules.1.conditions.1.field"]


@pytest.mark.parametrize(
    ("field", "operator", "value"),
    [
        ("severity", "is", 0.5),
        ("severity", "contains", 0.5),
        ("policy.toxicity.probability", "is", "high"),
        ("policy.toxicity.flagged", "is", "yes"),
        ("policy.toxicity.flagged", "at_least", 1),
        ("any_flagged", "at_least", 0),
        ("author.trust_level", "is", "3"),
        ("author.status", "is", "baned"),
        ("author.status", "in", ["blocked", "baned"]),
        ("meta_type", "is", "coment"),
        ("client_action", "is_not", "ban"),
        ("language", "at_most", 3),
    ],
)
def test_a_condition_whose_value_could_never_fit_is_refused(field: str, operator: Any, value: Any) -> None:
    rules = (Rule("r", (Condition(field, operator, value),), "allow"),)
    with pytest.raises(ConfigError) as caught:
        check_rules(rules, {spec.id: spec for spec in CLASSIFIERS})
    assert [issue.path for issue in caught.value.issues] == ["rules.0.conditions.0.value"]


@pytest.mark.parametrize(
    ("operator", "value"),
    [("in", "de"), ("not_in", 3), ("at_least", "0.5"), ("at_least", float("nan")), ("at_most", True), ("exists", 1)],
)
def test_a_value_of_the_wrong_kind_is_refused(operator: Any, value: Any) -> None:
    with pytest.raises(ConfigError, match="value"):
        Condition("severity", operator, value)
