from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from seemly.policies.protocol import Finding, Item, Policy
from seemly.policies.url.deobfuscate import Rewritten
from seemly.policies.url.policy import SPEC, UrlOptions, UrlPolicy
from seemly.text.normalize import normalize


def check(text: str, **options: object) -> Finding:
    policy = UrlPolicy(TypeAdapter(UrlOptions).validate_python(options))
    (finding,) = policy.check([Item(normalize(text))])
    return finding


def test_the_spec() -> None:
    assert SPEC.id == "url"
    assert SPEC.kind == "entity_matcher"
    assert SPEC.defaults.flag is False
    assert SPEC.defaults.weight == 0.6
    assert isinstance(UrlPolicy(SPEC.options()), Policy)


def test_nothing_found() -> None:
    assert check("no address here") == Finding(0.0)


def test_the_probability_is_the_largest() -> None:
    finding = check("example.com and https://paypa1.com")
    assert [match.match for match in finding.matches] == ["example.com", "https://paypa1.com"]
    assert finding.probability == max(match.probability for match in finding.matches) > 0.95


def test_findings_come_in_the_order_of_the_items() -> None:
    texts = ["a https://a.com", "nothing", "b https://b.com"]
    findings = UrlPolicy(UrlOptions()).check([Item(normalize(text)) for text in texts])
    assert [[match.match for match in finding.matches] for finding in findings] == [
        ["https://a.com"],
        [],
        ["https://b.com"],
    ]


@pytest.mark.parametrize(
    "text", ["https://example.com/a", "https://www.example.com", "deep.down.example.com", "EXAMPLE.com"]
)
def test_allowed_domains_count_nothing(text: str) -> None:
    finding = check(text, allow=["Example.com"], mask=True)
    assert finding.probability == 0.0
    (match,) = finding.matches
    assert match.match == text
    assert not match.flagging
    assert match.mask is None


@pytest.mark.parametrize(
    "text", ["https://example.com.evil.ru", "https://notexample.com", "http://example.com@evil.ru/"]
)
def test_allowed_domains_are_not_look_alikes(text: str) -> None:
    assert check(text, allow=["example.com"]).probability >= 0.9


def test_a_blocked_domain_beats_an_allowed_one() -> None:
    finding = check("https://bad.example.com", allow=["example.com"], block=["bad.example.com"])
    assert finding.probability == 1.0
    assert finding.matches[0].reasons[0] == "blocked"
    assert check("https://good.example.com", allow=["example.com"], block=["bad.example.com"]).probability == 0.0


def test_lists_take_names_outside_ascii() -> None:
    assert check("https://xn--bcher-kva.de/x", block=["bücher.de"]).probability == 1.0
    assert check("https://bücher.de/x", block=["xn--bcher-kva.de"]).probability == 1.0


def test_shorteners() -> None:
    assert check("https://bit.ly/a").matches[0].reasons == ("link_shortener",)
    quiet = check("https://bit.ly/a", flag_shorteners=False).matches[0]
    assert quiet.reasons == ()
    assert quiet.signals is not None
    assert quiet.signals["is_link_shortener"] is True
    assert check("https://bit.ly/a", allow=["bit.ly"]).probability == 0.0


@pytest.mark.parametrize("brand", ["wibblecorp", "wibblecorp.com"])
def test_further_brands(brand: str) -> None:
    assert check("https://wibblecorp-login.com", brands=[brand]).matches[0].reasons[0] == "brand_impersonation"
    assert check("https://wibb1ecorp.com", brands=[brand]).matches[0].reasons == ("brand_impersonation",)
    assert check("https://wibblecorp-login.com").matches[0].reasons == ()
    assert check("https://www.wibblecorp.com", brands=[brand]).matches[0].reasons == ()


def test_risk_alone() -> None:
    assert check("https://example.com", plain_links=False).probability == 0.0
    assert check("https://paypa1.com", plain_links=False).probability == pytest.approx(0.8)
    assert check("https://example.com", plain_links=False, block=["example.com"]).probability == 1.0


def test_masks() -> None:
    assert check("https://example.com").matches[0].mask is None
    assert check("https://example.com", mask=True).matches[0].mask == "{{ url hidden }}"
    assert check("https://example.com", mask=True, mask_text="<$>").matches[0].mask == "<https://example.com>"


@pytest.mark.parametrize(
    "options", [{"allow": "example.com"}, {"allow": [1]}, {"mask": "perhaps"}, {"brands": {"a": 1}}]
)
def test_wrong_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(UrlOptions).validate_python(options)


def test_spoof_detection_off_still_finds_the_address() -> None:
    (finding,) = UrlPolicy(UrlOptions()).check([Item(normalize("https://раураl.com", resolve_spoofs=False))])
    (match,) = finding.matches
    assert match.match == "https://раураl.com"
    assert "brand_impersonation" in match.reasons


def test_the_original_is_not_in_a_matchs_repr() -> None:
    assert "secret-path" not in repr(check("https://example.com/secret-path").matches[0])


PIECES = st.sampled_from(
    [
        *(
            "http://",
            "https://",
            "hxxp://",
            "www.",
            "tg://",
            "example",
            ".com",
            ".co.uk",
            ".рф",
            "[.]",
            "(.)",
            " dot ",
            "。",
        ),
        *(
            "．",
            " . ",
            "@",
            ":",
            "/",
            "?",
            "#",
            "(",
            ")",
            "[",
            "]",
            "xn--",
            "a",
            "Z",
            "9",
            "-",
            "_",
            " ",
            "\n",
            "\u200b",
        ),
        *(
            "\u0301",
            "\ufe0f",
            "👩‍👩‍👧",
            "🇩🇪",
            "п",
            "α",
            "中",
            "한",
            "あ",
            "ｅ",
            "\ud800",
            "\x00",
            "\u202e",
            "ﬁ",
            "ß",
            "İ",
            "\u0600",
        ),
    ]
)


@settings(max_examples=250, deadline=None)
@given(st.lists(PIECES, max_size=24).map("".join) | st.text(max_size=60))
def test_spans_are_exact_ordered_and_disjoint(text: str) -> None:
    finding = check(text)
    done = 0
    for match in finding.matches:
        assert match.span.of(text) == match.match
        assert match.match.strip() == match.match != ""
        assert match.span.start >= done
        done = match.span.end
        assert 0.0 <= match.probability <= 1.0


@settings(max_examples=80, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join), st.lists(PIECES, max_size=6).map("".join))
def test_an_address_in_the_middle_is_found_whatever_surrounds_it(before: str, after: str) -> None:
    text = f"{before} \n https://example.com/path \n {after}"
    assert any(match.match == "https://example.com/path" for match in check(text).matches)


@given(st.text(alphabet="abc .", min_size=1, max_size=40), st.data())
def test_a_rewritten_text_leads_back(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    edits = [(start, end, "XY") for start, end in zip(cuts[::2], cuts[1::2], strict=False)]
    rewritten = Rewritten(text, edits)
    for index, char in enumerate(rewritten.text):
        start, end = rewritten.origin(index, index + 1)
        assert (text[start:end] == char) or ((start, end, "XY") in edits and char in "XY")


HOSTILE = {
    "a.": "a." * 50_000, "@": "@" * 100_000, "http://": "http://" * 14_000, "www.": "www." * 25_000,
    "1.": "1." * 50_000,
    "(": "(" * 100_000, ".": "." * 100_000, " dot": " dot" * 25_000, "dot com": "dot com " * 12_500, "a": "a" * 100_000,
    "a . ": "a . " * 25_000, "1": "1" * 100_000, "mail": "a@b.c" * 20_000, "tail": "http://a.b/" + "(" * 99_000,
    "tail)": "http://a.b/" + "a)" * 49_000, "tail.": "http://a.b/x" + "." * 99_000, "user": "http://" + "a@" * 49_000,
    "h t t p": "h t t p " * 12_500, "[.]": "a[.]" * 25_000, "www a": "www a com " * 10_000, "-.": "-." * 50_000,
    "zalgo": "a.com" + "\u0301" * 99_000, "cjk": "例.com" * 20_000, "://": "://" * 33_000, "fullwidth": "ａ．" * 50_000,
    "label": ("a" * 63 + ".") * 1_500, "letters": "a " * 50_000, "xn--": "xn--a." * 16_000, ". a": ". a " * 25_000,
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_read_to_its_end(name: str) -> None:
    text = HOSTILE[name] + " see https://example.org/last"
    (finding,) = UrlPolicy(UrlOptions()).check([Item(normalize(text))])
    assert all(text[match.span.start : match.span.end] == match.match for match in finding.matches)
    assert finding.matches[-1].match.endswith("example.org/last")


def test_threads_agree() -> None:
    policy = UrlPolicy(UrlOptions())
    items = [Item(normalize(f"see https://site{n}.example.com/{n} and paypa{n}.com")) for n in range(200)]
    alone = [policy.check([item])[0] for item in items]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda item: policy.check([item])[0], items)) == alone
