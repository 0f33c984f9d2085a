"""Values glued to words of other scripts, in every script and on either side."""

from __future__ import annotations

import pytest

from tests.support.pii_search import found

VALUES = {
    "phone": ("415-666-7777", "+44 20 7946 0018", "010-1234-5678"),
    "payment_card": ("4111 1111 1111 1111", "378282246310005"),
    "ip_address": ("203.0.113.77", "2001:db8::8a2e:370:7334", "::ffff:203.0.113.77"),
    "mac_address": ("00:1b:44:11:3a:b7",),
    "email": ("jo@gmail.com", "x.y+z@mail.example.co.uk"),
    "iban": ("DE89370400440532013000", "GB29 NWBK 6016 1331 9268 19"),
    "crypto_wallet": ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",),
    "cn_ric": ("11010519491231002X",),
    "br_cpf": ("123.456.789-09",),
}
CARRIERS = {
    "Han": ("我的电话、账号是", "请记下"),
    "Kana": ("わたしの電話は", "です"),
    "Hangul": ("제 전화번호는", "입니다"),
    "Thai": ("โทร", "นะคะ"),
    "Arabic": ("رقم هاتفي", "وشكرا"),
    "Hebrew": ("הטלפון שלי", "תודה"),
    "Devanagari": ("मेरा फोन", "पर"),
    "Cyrillic": ("телефон", "или"),
    "Greek": ("τηλέφωνο", "και"),
}


@pytest.mark.parametrize("script", CARRIERS)
@pytest.mark.parametrize(("entity", "value"), [(entity, value) for entity, every in VALUES.items() for value in every])
def test_a_value_ends_where_the_script_changes(script: str, entity: str, value: str) -> None:
    before, after = CARRIERS[script]
    for text in (f"{before}{value} {after}", f"{before} {value}{after}", f"{before}{value}{after}"):
        assert found(text, entity) == [value], text


@pytest.mark.parametrize(
    ("text", "value"), [("call(449)978-0001", "(449)978-0001"), ("call+64 3 331 6005", "+64 3 331 6005")]
)
def test_brackets_and_plus_begin_a_number(text: str, value: str) -> None:
    assert found(text, "phone") == [value]


@pytest.mark.parametrize(
    "text",
    [
        "foo4156667777",
        "abc12345678",
        "f(1234567)",
        "v1.2.3.4.5",
        "今年销售额为12345678元",
        "올해 매출은 1234567890원입니다",
    ],
)
def test_latin_words_and_counted_things_are_no_boundary(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("напишите на иван1@почта.рф", ["иван1@почта.рф"]),
        ("用户@例子.广告", ["用户@例子.广告"]),
        ("jörg.müller@web.de", ["jörg.müller@web.de"]),
    ],
)
def test_addresses_in_one_other_script_stay_whole(text: str, expected: list[str]) -> None:
    assert found(text, "email") == expected
