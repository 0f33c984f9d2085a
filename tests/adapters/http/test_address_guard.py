"""Which addresses a URL of somebody else's may lead to."""

from __future__ import annotations

import ipaddress

import pytest

from seemly.adapters.http.address_guard import find_target, is_public
from seemly.core.errors import FetchError


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
        "100.64.0.1", "100.100.100.200", "192.0.0.192", "168.63.129.16", "224.0.0.1", "239.255.255.250", "255.255.255.255",
        "240.0.0.1", "198.18.0.1", "::", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1",
        "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:a00:1::",
        "2001:0:0:0:0:0:80ff:fffe", "2001:db8::1", "64:ff9b:1::a9fe:a9fe", "::ffff:0:127.0.0.1", "::127.0.0.1", "fec0::1",
    ],
)  # fmt: skip
def test_what_leads_inside_is_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "93.184.216.34", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_the_public_internet_is_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("ftp://example.com/a", "http and https"),
        ("file:///etc/passwd", "http and https"),
        ("gopher://example.com", "http and https"),
        ("//example.com", "http and https"),
        ("example.com", "http and https"),
        ("data:image/png;base64,AAAA", "http and https"),
        ("http://", "no host"),
        ("http:///path", "no host"),
        ("http://example.com:0/", "no host"),
        ("http://example.com:99999/", "cannot be read"),
        ("http://[::1/", "cannot be read"),
        ("http://a..b/", "cannot be read"),
        (f"http://{'a' * 70}.com/", "cannot be read"),
        ("http://example.com/\ud800", "cannot be read"),
        ("http://user@example.com/", "user name"),
        ("http://user:secret@example.com/", "user name"),
        ("http://:@example.com/", "user name"),
    ],
)
def test_a_url_that_is_not_plain_is_refused(url: str, why: str) -> None:
    with pytest.raises(FetchError, match=why):
        find_target(url, resolve=lambda _host, _port: ["8.8.8.8"])


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/", "http://2130706433/", "http://0x7f.1/", "http://[::1]/", "http://localhost/"]
)
def test_spellings_of_loopback_are_refused(url: str) -> None:
    with pytest.raises(FetchError, match="public internet"):
        find_target(url)


def test_one_private_address_among_public_ones_is_enough() -> None:
    with pytest.raises(FetchError, match="public internet"):
        find_target("http://example.com/", resolve=lambda _host, _port: ["8.8.8.8", "10.0.0.1"])


@pytest.mark.parametrize("found", [[], ["not an address"]])
def test_a_name_that_does_not_resolve_is_said(found: list[str]) -> None:
    with pytest.raises(FetchError, match="does not resolve"):
        find_target("http://example.com/", resolve=lambda _host, _port: found)


@pytest.mark.parametrize(
    ("url", "port"),
    [("http://example.com", 80), ("https://example.com/a?b#c", 443), ("http://example.com:8080/", 8080)],
)
def test_a_target_keeps_the_name_and_the_checked_address(url: str, port: int) -> None:
    target = find_target(url, resolve=lambda _host, _port: ["8.8.8.8", "8.8.4.4"])
    assert (target.host, target.port, str(target.address)) == ("example.com", port, "8.8.8.8")
    assert "#" not in target.url


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("http://example.com/grüße.png", "http://example.com/gr%C3%BC%C3%9Fe.png"),
        ("http://example.com/a b.png?q=c d#e", "http://example.com/a%20b.png?q=c%20d"),
        ("http://example.com/a%20b?q=%2F&r[]=1", "http://example.com/a%20b?q=%2F&r[]=1"),
        ("http://bücher.example:8080/", "http://xn--bcher-kva.example:8080/"),
        ("http://[2606:4700::1]:81/", "http://[2606:4700::1]:81/"),
    ],
)
def test_a_target_is_in_ascii(url: str, plain: str) -> None:
    assert find_target(url, resolve=lambda _host, _port: ["8.8.8.8"]).url == plain


def test_the_name_that_is_looked_up_is_the_one_that_is_asked_for() -> None:
    asked: list[str] = []

    def resolve(host: str, _: int) -> list[str]:
        asked.append(host)
        return ["8.8.8.8"]

    assert find_target("http://bücher.example/", resolve=resolve).host == "xn--bcher-kva.example"
    assert asked == ["xn--bcher-kva.example"]


def test_private_addresses_are_allowed_on_request() -> None:
    assert str(find_target("http://127.0.0.1:8000/", allow_private=True).address) == "127.0.0.1"
