"""Addresses, dates of birth and credentials: data that words and patterns give away, not digits alone."""

from __future__ import annotations

import pytest

from tests.support.pii_search import found, search

ADDRESSES = [
    ("I live at 123 Main Street, Springfield, IL 62704 ok", ["123 Main Street, Springfield, IL 62704"]),
    ("send it to 42 elm st apt 5", ["42 elm st apt 5"]),
    ("10 Downing Street, London SW1A 2AA", ["10 Downing Street, London SW1A 2AA"]),
    ("221B Baker Street", ["221B Baker Street"]),
    ("1600 Pennsylvania Ave NW", ["1600 Pennsylvania Ave NW"]),
    ("77 Massachusetts Avenue", ["77 Massachusetts Avenue"]),
    ("4 Privet Drive", ["4 Privet Drive"]),
    ("12/34 George St, Sydney NSW 2000", ["12/34 George St, Sydney NSW 2000"]),
    ("100 Queen St W, Toronto ON M5H 2N2", ["100 Queen St W, Toronto ON M5H 2N2"]),
    ("55 W 42nd Street", ["55 W 42nd Street"]),
    ("Musterstraße 12, 10115 Berlin", ["Musterstraße 12, 10115 Berlin"]),
    ("Ich wohne in der Goethestr. 5", ["Goethestr. 5"]),
    ("Lange Straße 7", ["Lange Straße 7"]),
    ("12 rue de la Paix, 75002 Paris", ["12 rue de la Paix, 75002 Paris"]),
    ("8 bis avenue Foch", ["8 bis avenue Foch"]),
    ("Calle de Alcalá 45", ["Calle de Alcalá 45"]),
    ("via Roma 12", ["via Roma 12"]),
    ("Rua Augusta, 1500", ["Rua Augusta, 1500"]),
    ("ul. Marszałkowska 10", ["ul. Marszałkowska 10"]),
    ("Keizersgracht 123", ["Keizersgracht 123"]),
    ("Kungsgatan 5", ["Kungsgatan 5"]),
    ("ул. Ленина, д. 5", ["ул. Ленина, д. 5"]),
    ("P.O. Box 1234", ["P.O. Box 1234"]),
    ("Postfach 100203", ["Postfach 100203"]),
    ("20 minute drive", []),
    ("5 minutes walk to the park", []),
    ("a 3 way street", []),
    ("24 hour place", []),
    ("2 people in court", []),
    ("Route 66", []),
    ("the 1987 supreme court case", []),
    ("5 stars in my book", []),
    ("3 big dogs on the road", []),
    ("level 5 boss drops 2 swords", []),
    ("chapter 12 page 3 row 4", []),
    ("1st place", []),
]

POSTAL_CODES = [
    ("my zip is 90210", ["90210"]),
    ("zip code: 90210-1234", ["90210-1234"]),
    ("postcode SW1A 1AA", ["SW1A 1AA"]),
    ("PLZ 10115", ["10115"]),
    ("90210", []),
    ("I scored 90210 points", []),
]

BIRTHS = [
    ("I was born on 12 March 1990", ["12 March 1990"]),
    ("my dob: 03/04/1991", ["03/04/1991"]),
    ("DOB 1991-04-03", ["1991-04-03"]),
    ("date of birth is March 5th, 1985.", ["March 5th, 1985"]),
    ("my birthday is 5/6/2001", ["5/6/2001"]),
    ("my birthday is March 5", ["March 5"]),
    ("d.o.b. 04.03.1991", ["04.03.1991"]),
    ("geboren am 3. März 1985", ["3. März 1985"]),
    ("née le 14 juillet 1990", ["14 juillet 1990"]),
    ("nací el 5 de mayo de 1999", ["5 de mayo de 1999"]),
    ("родился 12 апреля 1985", ["12 апреля 1985"]),
    ("我的生日 1990年5月12日", ["1990年5月12日"]),
    ("the meeting is on 12 March 1990", []),
    ("03/04/1991", []),
    ("Mozart was born on 27 January 1756", []),
    ("born ready", []),
    ("my birthday cake had 30 candles", []),
]

CREDENTIALS = [
    ("AKIAIOSFODNN7EXAMPLE", ["AKIAIOSFODNN7EXAMPLE"]),
    ("token ghp_0123456789abcdefghijABCDEFGHIJ012345", ["ghp_0123456789abcdefghijABCDEFGHIJ012345"]),
    ("xox" + "b-123456789012-abcdefABCDEF", ["xox" + "b-123456789012-abcdefABCDEF"]),
    ("sk_" + "live_0123456789abcdefABCDEF", ["sk_" + "live_0123456789abcdefABCDEF"]),
    ("AIza" + "SyA-0123456789abcdefghijklmnopqrstu", ["AIza" + "SyA-0123456789abcdefghijklmnopqrstu"]),
    ("sk-" + "proj-0123456789abcdefABCDEF", ["sk-" + "proj-0123456789abcdefABCDEF"]),
    ("AC" + "0123456789abcdef0123456789abcdef", ["AC" + "0123456789abcdef0123456789abcdef"]),
    ("npm_" + "0123456789abcdefghijABCDEFGHIJ012345.", ["npm_" + "0123456789abcdefghijABCDEFGHIJ012345"]),
    (
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123_-xyz",
        ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123_-xyz"],
    ),
    ("Authorization: Bearer abcdef0123456789abcdef", ["abcdef0123456789abcdef"]),
    ("my password is hunter2", ["hunter2"]),
    ("password: S3cret!pw, ok?", ["S3cret!pw"]),
    ("pwd=correcthorse", []),
    ("password=correcthorse", ["correcthorse"]),
    ('the password is "swordfish"', ["swordfish"]),
    ("Passwort ist Hallo123", ["Hallo123"]),
    ("пароль: qwerty12", ["qwerty12"]),
    ("postgres://bob:hunter22@db.example.com/x", ["hunter22"]),
    ("api key: 0123456789abcdef", ["0123456789abcdef"]),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIB0123\n-----END RSA PRIVATE KEY-----",
        ["-----BEGIN RSA PRIVATE KEY-----\nMIIB0123\n-----END RSA PRIVATE KEY-----"],
    ),
    ("my password is wrong", []),
    ("password: required", []),
    ("password: ********", []),
    ("password: ${DB_PASSWORD}", []),
    ("forgot my password again", []),
    ("token of appreciation 2024", []),
    ("the bearer of bad news", []),
    ("d41d8cd98f00b204e9800998ecf8427e", []),
    ("basic math 101", []),
]


@pytest.mark.parametrize(("text", "expected"), ADDRESSES)
def test_addresses(text: str, expected: list[str]) -> None:
    assert found(text, "address") == expected


@pytest.mark.parametrize(("text", "expected"), POSTAL_CODES)
def test_postal_codes(text: str, expected: list[str]) -> None:
    assert found(text, "postal_code") == expected


@pytest.mark.parametrize(("text", "expected"), BIRTHS)
def test_dates_of_birth(text: str, expected: list[str]) -> None:
    assert found(text, "date_of_birth") == expected


@pytest.mark.parametrize(("text", "expected"), CREDENTIALS)
def test_credentials(text: str, expected: list[str]) -> None:
    assert found(text, "credential") == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "hello there, how are you doing today?",
        "I have one dog, two cats and three birds",
        "meet me at the dot on the map",
        "Привет, как дела?",
        "今日は天気がいいですね",
        "def add(a, b): return a + b",
        "x = [1, 2, 3]; y = {4: 5}",
        "report.final.v2.pdf",
        "lol 😂😂😂 100%",
        "see you at 10:30 on 5/6",
        "gg wp 5v5 1v1 me",
    ],
)
def test_ordinary_talk_is_clean(text: str) -> None:
    assert search(text).probability == 0.0
