"""Hosts with symbols, bare hosts of countries, and where an address ends beside other scripts and marks."""

from __future__ import annotations

import pytest

from seemly.policies.url.find import find


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("http://✪df.ws/123 now", ["http://✪df.ws/123"]),
        ("see http://☃.net/ there", ["http://☃.net/"]),
        ("https://😀.la", ["https://😀.la"]),
        ("http://i❤.ws", ["http://i❤.ws"]),
        ("allegro.pl", ["allegro.pl"]),
        ("buy on kupujem.rs today", ["kupujem.rs"]),
        ("free-robux.cc", ["free-robux.cc"]),
        ("look at steam-gift.ml", ["steam-gift.ml"]),
        ("we met on finn.no", ["finn.no"]),
        ("edit main.rs and script.pl", []),
        ("in `parser.rs` there is", []),
        ("open libfoo.so", []),
        ("item fig.no 3", []),
        ("a|https://example.com/x|b", ["https://example.com/x"]),
        ("https://fonts.example.com/css?f=A|B", ["https://fonts.example.com/css?f=A|B"]),
        ("[a](https://example.com/x)and", ["https://example.com/x"]),
        ("访问example.com请", ["example.com"]),
        ("שלנוexample.orgתודה", ["example.org"]),
        ("साइटexample.comपर", ["example.com"]),
        ("https://example.com/aи ещё", ["https://example.com/a"]),
        ("https://ru.wikipedia.org/wiki/Москва", ["https://ru.wikipedia.org/wiki/Москва"]),
    ],
)
def test_addresses_are_found_whole(text: str, found: list[str]) -> None:
    assert [text[one.start : one.end] for one in find(text)] == found
