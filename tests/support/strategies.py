"""Hypothesis strategies that several test modules share."""

from __future__ import annotations

from hypothesis import strategies as st

from seemly.core.channel import Channel, Condition, PolicySettings, Rule, Triage, Wordlist
from seemly.engine.rules import Verdict
from seemly.policies.protocol import Finding, Label

probabilities = st.floats(0.0, 1.0, allow_nan=False)
actions = st.sampled_from(["allow", "review", "reject"])
keys = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=12)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)

hostile_texts = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("aeéüñ \n\t.,!?@:/-_*#0123456789fuckshit"),
        st.sampled_from("\u0301\u0308\u200b\u200d\u202e\u2066\ufe0f\U0001f468\U0001f1eb\U000e0061\ud800\udfff\x00"),
        st.sampled_from("аеорсухАВЕКМНОРСТХ𝐟𝓾𝕔𝖐ⓕⓤⓒⓚ🅵🆄ＦｕｃＫﬁßıİ"),
    ),
    max_size=60,
)


@st.composite
def triages(draw: st.DrawFn) -> Triage:
    review, reject = sorted([draw(probabilities), draw(probabilities)])
    trusted = draw(st.none() | st.integers(-1, 4))
    return Triage(review, reject, trusted, draw(st.none() | probabilities))


@st.composite
def conditions(draw: st.DrawFn, policies: tuple[str, ...] = ("one", "two")) -> Condition:
    policy = draw(st.sampled_from(policies))
    field = draw(
        st.sampled_from(
            [f"policy.{policy}.probability", f"policy.{policy}.matches", "severity", "author.trust_level", "metadata.n"]
        )
    )
    return Condition(field, draw(st.sampled_from(["at_least", "at_most"])), draw(probabilities))


@st.composite
def rules(draw: st.DrawFn) -> tuple[Rule, ...]:
    bodies = draw(st.lists(st.tuples(st.lists(conditions(), max_size=2), actions), max_size=3))
    return tuple(Rule(f"r{i}", tuple(body), action) for i, (body, action) in enumerate(bodies))


@st.composite
def channels(draw: st.DrawFn) -> Channel:
    settings = [
        PolicySettings(
            each,
            draw(st.booleans()),
            draw(st.none() | st.booleans()),
            draw(st.none() | probabilities),
            draw(st.none() | probabilities),
            draw(actions),
            options=draw(st.dictionaries(keys, json_values, max_size=2)),
            max_action=draw(st.sampled_from([None, "review", "reject"])),
            languages=draw(st.sampled_from([None, "any"])),
        )
        for each in draw(st.lists(keys, max_size=3, unique=True))
    ]
    wordlists = [
        Wordlist(key, tuple(draw(st.lists(keys, max_size=3))), draw(st.sampled_from(["block", "allow", "require"])))
        for key in draw(st.lists(keys, max_size=2, unique=True))
    ]
    return Channel(
        key=draw(keys),
        name=draw(st.none() | st.text(max_size=5)),
        content_type=draw(st.sampled_from([None, "message", "voice"])),
        flagging_mode=draw(st.sampled_from(["ACTIVE", "DRY_RUN"])),
        context_enabled=draw(st.booleans()),
        frame_capture_interval=draw(st.floats(0.1, 60)),
        max_frames_per_video=draw(st.integers(1, 1000)),
        policies=tuple(settings),
        wordlists=tuple(wordlists),
        rules=draw(rules()),
        triage=draw(triages()),
    )


@st.composite
def verdicts(draw: st.DrawFn, ids: tuple[str, ...] = ("one", "two", "three")) -> tuple[Verdict, ...]:
    return tuple(
        Verdict(
            each,
            Finding(draw(probabilities), labels=(Label("part", draw(probabilities)),)),
            draw(probabilities),
            draw(probabilities),
            draw(st.booleans()),
            max_action=draw(st.sampled_from(["review", "reject"])),
        )
        for each in ids
    )
