from __future__ import annotations

import pytest

from seemly.policies.protocol import Item, Match
from seemly.policies.url.brands import Protected, skeleton
from seemly.policies.url.host import ascii_form, read_host, under
from seemly.policies.url.policy import UrlOptions, UrlPolicy
from seemly.policies.url.tables import brands
from seemly.text.normalize import normalize

POLICY = UrlPolicy(UrlOptions())


def only(text: str, options: UrlOptions | None = None) -> Match:
    policy = POLICY if options is None else UrlPolicy(options)
    (finding,) = policy.check([Item(normalize(text))])
    (match,) = finding.matches
    return match


# address, the reasons it must have, in any order and no others
RISKS = [
    ("https://example.com/about", ()),
    ("https://www.bbc.co.uk/news/world-12345", ()),
    ("https://docs.python.org/3/library/re.html", ()),
    ("https://github.com/acme/widget/pull/3", ()),
    ("https://accounts.google.com/signin", ()),
    ("https://www.paypal.com/login", ()),
    ("https://www.amazon.de/dp/B000", ()),
    ("https://www.google.com.br/search?q=x", ()),
    ("https://store.steampowered.com/app/440", ()),
    ("https://apple-pie-recipes.com", ()),
    ("https://target-practice.org", ()),
    ("https://pineapple.com", ()),
    ("https://example.com/free/shipping", ()),
    ("http://localhost:9999/x", ("unusual_port",)),
    ("http://127.0.0.1/x", ()),
    ("http://example.com:8080/x", ()),
    ("http://example.com:1337/x", ("unusual_port",)),
    ("http://203.0.113.7/x", ("ip_host",)),
    ("http://3405803783/x", ("ip_host",)),
    ("http://0x7f.1/", ("ip_host",)),
    ("http://0300.0250.0.1/", ("ip_host",)),
    ("http://[2001:db8::7]/x", ("ip_host",)),
    ("http://google.com@evil.com/", ("credentials",)),
    ("http://user:pw@example.com/", ("credentials",)),
    ("https://bit.ly/abc", ("link_shortener",)),
    ("https://tinyurl.com/abc", ("link_shortener",)),
    ("https://acme.github.io/", ("free_hosting",)),
    ("https://acme.weebly.com/", ("free_hosting",)),
    ("https://acme.tk/", ("high_risk_tld",)),
    ("https://a.b.c.d.example.com/", ("deep_subdomain",)),
    ("https://a.b.c.example.com/", ()),
    ("https://secure-login.example.tk/verify", ("high_risk_tld", "suspicious_keywords")),
    ("https://example.com/login/verify", ("suspicious_keywords",)),
    ("https://xn--bcher-kva.com/", ("punycode",)),
    ("https://bücher.com/", ()),
    ("https://пример.рф/", ()),
    ("hxxp://example.com/a", ("obfuscated",)),
    ("example[.]com", ("obfuscated",)),
    ("exam\u200bple.com", ("obfuscated",)),
    # brands
    ("https://paypa1.com/", ("brand_impersonation",)),
    ("https://paypal-secure.com/", ("brand_impersonation", "suspicious_keywords")),
    ("https://paypalsecure.com/", ("brand_impersonation",)),
    ("https://paypal.com.evil.ru/", ("brand_impersonation",)),
    ("https://paypal.weebly.com/", ("brand_impersonation", "free_hosting")),
    ("https://paypal.github.io/", ("brand_impersonation", "free_hosting")),
    ("https://paypal.xyz/", ("brand_impersonation", "high_risk_tld")),
    ("https://rnicrosoft.com/", ("brand_impersonation",)),
    ("https://faceb00k.com/", ("brand_impersonation",)),
    ("https://instagrarn.com/", ("brand_impersonation",)),
    ("https://netfllix.com/", ("brand_impersonation",)),
    ("https://whatsap.com/", ("brand_impersonation",)),
    ("https://insatgram.com/", ("brand_impersonation",)),
    ("https://steam-gift.ru/", ("brand_impersonation", "suspicious_keywords")),
    ("https://dlscord-nitro.com/", ("brand_impersonation", "suspicious_keywords")),
    ("https://раураl.com/", ("brand_impersonation", "mixed_script", "obfuscated")),
    ("https://xn--80ak6aa92e.com/", ("brand_impersonation", "punycode")),
    ("https://gооgle.com/", ("brand_impersonation", "mixed_script", "obfuscated")),
]


@pytest.mark.parametrize(("address", "reasons"), RISKS)
def test_reasons(address: str, reasons: tuple[str, ...]) -> None:
    match = only(address)
    assert match.match == address
    assert set(match.reasons) == set(reasons)
    assert match.probability >= (0.9 if "://" in address else 0.8)


def test_more_reasons_are_more_probability() -> None:
    ladder = ["https://example.com", "https://bit.ly/a", "https://example.tk/login", "https://paypal-login.tk/verify"]
    probabilities = [only(address).probability for address in ladder]
    assert probabilities == sorted(set(probabilities))
    assert probabilities[0] == pytest.approx(0.9)
    assert all(probability < 1 for probability in probabilities)


@pytest.mark.parametrize(
    ("address", "brand", "method"),
    [
        ("https://paypal-secure.com/", "paypal", "registered_domain_token"),
        ("https://paypal.com.evil.ru/", "paypal", "subdomain_token"),
        ("https://login.netflix.evil.com/", "netflix", "subdomain_token"),
        ("https://paypa1.com/", "paypal", "look_alike"),
        ("https://раураl.com/", "paypal", "look_alike"),
        ("https://faceboook.com/", "facebook", "look_alike"),
    ],
)
def test_signals_say_who_is_imitated_and_how(address: str, brand: str, method: str) -> None:
    signals = only(address).signals
    assert signals is not None
    assert signals["brand_impersonation"] == {"brand": brand, "method": method}


def test_signals_of_an_ordinary_address() -> None:
    assert only("see https://www.Example.co.uk/x").signals == {
        "host": "www.example.co.uk",
        "registrable_domain": "example.co.uk",
        "brand_impersonation": None,
        "has_suspicious_characters": False,
        "is_link_shortener": False,
        "is_reported": False,
        "domain_age_days": None,
        "has_email_setup": None,
        "redirect_count": None,
        "final_url": None,
        "bot_protection": None,
    }


@pytest.mark.parametrize("address", ["https://ev\u200bil.com", "ｅｖｉｌ.com", "https://раураl.com"])
def test_signals_of_characters_that_mislead(address: str) -> None:
    signals = only(address).signals
    assert signals is not None
    assert signals["has_suspicious_characters"] is True


def test_every_brands_own_domains_are_genuine() -> None:
    protected = Protected(brands())
    for brand in brands():
        for domain in brand.domains:
            host = read_host(f"login.{domain}")
            assert host is not None
            assert protected.imitated(host, (host.unicode,), other_signs=True) is None, domain


def test_no_brand_hides_another() -> None:
    skeletons = [skeleton(brand.name) for brand in brands()]
    assert len(set(skeletons)) == len(skeletons)


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("3232235777", "192.168.1.1"),
        ("0xC0A80101", "192.168.1.1"),
        ("0300.0250.1.1", "192.168.1.1"),
        ("192.168.257", "192.168.1.1"),
        ("0x7f.1", "127.0.0.1"),
        ("[::ffff:1.2.3.4]", "::ffff:102:304"),
        ("[2001:DB8::1]", "2001:db8::1"),
    ],
)
def test_addresses_in_other_spellings(written: str, address: str) -> None:
    host = read_host(written)
    assert host is not None
    assert host.ip in (address, "::ffff:1.2.3.4")


@pytest.mark.parametrize(
    "written", ["4294967296", "256.1.1.1", "1.2.3.256", "[::g]", "[1]", "a..b", "a" * 64 + ".com", "08.1"]
)
def test_what_is_no_host(written: str) -> None:
    assert read_host(written) is None


def test_below_a_domain() -> None:
    domains = frozenset(("example.com",))
    assert under("example.com", domains)
    assert under("a.b.example.com", domains)
    assert not under("notexample.com", domains)
    assert not under("example.com.evil.ru", domains)


def test_names_outside_ascii_are_compared_in_punycode() -> None:
    assert ascii_form("Bücher.DE.") == "xn--bcher-kva.de"
    assert ascii_form("straße.de") == "xn--strae-oqa.de"
