"""Email addresses, telephone numbers and accounts elsewhere, as people write and disguise them."""

from __future__ import annotations

import pytest

from seemly.policies.pii.options import PiiOptions
from tests.support.pii_search import found, search

EMAILS = [
    ("write to jo@example.com please", ["jo@example.com"]),
    ("JO.Smith+spam@Example.CO.UK!", ["JO.Smith+spam@Example.CO.UK"]),
    ("<jo_smith-1@mail.example.org>", ["jo_smith-1@mail.example.org"]),
    ("mailto:jo@posteo.de?subject=hi", ["jo@posteo.de"]),
    ("a@x.io,b@y.io;c@z.io", ["a@x.io", "b@y.io", "c@z.io"]),
    ("(kim@naver.com)", ["kim@naver.com"]),
    ("end with dot jo@gmail.com.", ["jo@gmail.com"]),
    ("jo@gmail.comLabel", ["jo@gmail.com"]),
    ("müller@example.de", ["müller@example.de"]),
    ("jo@münchen.de", ["jo@münchen.de"]),
    ("ｊｏ＠gmail.com", ["ｊｏ＠gmail.com"]),
    ("jo\u200b@gmail\u200b.com", ["jo\u200b@gmail\u200b.com"]),
    ("jo (at) gmail dot com", ["jo (at) gmail dot com"]),
    ("jo(at)gmail(dot)com", ["jo(at)gmail(dot)com"]),
    ("jo [at] gmail [dot] com", ["jo [at] gmail [dot] com"]),
    ("jo {at} example {dot} org thanks", ["jo {at} example {dot} org"]),
    ("jo AT gmail DOT com", ["jo AT gmail DOT com"]),
    ("jo at gmail dot com", ["jo at gmail dot com"]),
    ("jo at gmail com", ["jo at gmail com"]),
    ("jo dot smith at yahoo dot co dot uk", ["jo dot smith at yahoo dot co dot uk"]),
    ("email me: jo at mysite dot org", ["jo at mysite dot org"]),
    ("jo_at_gmail_dot_com", ["jo_at_gmail_dot_com"]),
    ("jo.smith @ gmail.com", ["jo.smith @ gmail.com"]),
    ("jo@gmail . com", ["jo@gmail . com"]),
    ("j o @ g m a i l . c o m", ["j o @ g m a i l . c o m"]),
    ("schreib an jo(at)web punkt de", ["jo(at)web punkt de"]),
    ("jo arroba hotmail punto com", ["jo arroba hotmail punto com"]),
    ("jo[@]gmail[.]com", ["jo[@]gmail[.]com"]),
    ("look at google dot com", []),
    ("see you at home dot", []),
    ("laugh at yahoo com", []),
    ("we met at gmail hq", []),
    ("thanks @foo and @bar", []),
    ("icon@2x.png", []),
    ("git clone git@github.com:foo/bar.git", []),
    ("react@18.2.0", []),
    ("user@localhost", []),
    ("dinner @ 7pm . come", []),
    ("your.email@example.com", []),
    ("@@@@@@", []),
    ("a@b", []),
    ("5 apples @ 2.50 each", []),
]

PHONES = [
    ("call me at (415) 555-2671", ["(415) 555-2671"]),
    ("415-555-2671", ["415-555-2671"]),
    ("415.555.2671", ["415.555.2671"]),
    ("text 4155552671", ["4155552671"]),
    ("1-415-555-2671", ["1-415-555-2671"]),
    ("+1 415 555 2671", ["+1 415 555 2671"]),
    ("+14155552671", ["+14155552671"]),
    ("+44 20 7946 0958 or +49 30 901820", ["+44 20 7946 0958", "+49 30 901820"]),
    ("+33 (0)1 42 68 53 00", ["+33 (0)1 42 68 53 00"]),
    ("0033 1 42 68 53 00", ["0033 1 42 68 53 00"]),
    ("tel: 020 7946 0958", ["020 7946 0958"]),
    ("01 42 68 53 00", ["01 42 68 53 00"]),
    ("my number is 5 5 5 - 0 1 2 3", ["5 5 5 - 0 1 2 3"]),
    ("call 555-0100", ["555-0100"]),
    ("ring 07700 900123 tonight", ["07700 900123"]),
    ("whatsapp 4155552671", ["4155552671"]),
    ("415-555-2671 x123", ["415-555-2671 x123"]),
    ("call 415-555-2671 5pm", ["415-555-2671"]),
    ("call 415\n555\n2671", ["415\n555\n2671"]),
    ("my number: 415🔥555🔥2671", ["415🔥555🔥2671"]),
    ("4️⃣1️⃣5️⃣5️⃣5️⃣5️⃣2️⃣6️⃣7️⃣1️⃣", ["4️⃣1️⃣5️⃣5️⃣5️⃣5️⃣2️⃣6️⃣7️⃣1️⃣"]),
    ("٤١٥-٥٥٥-٢٦٧١", ["٤١٥-٥٥٥-٢٦٧١"]),
    ("फोन ४१५-५५५-२६७१", ["४१५-५५५-२६७१"]),
    ("４１５－５５５－２６７１", ["４１５－５５５－２６７１"]),
    ("five five five zero one two three", ["five five five zero one two three"]),
    ("call five 5 five 0one two three", ["five 5 five 0one two three"]),
    ("Four One Five, 555 then 26 then 71", ["Four One Five, 555 then 26 then 71"]),
    ("nine double eight seven six five four three", ["nine double eight seven six five four three"]),
    ("llámame seis uno dos tres cuatro cinco seis siete ocho", ["seis uno dos tres cuatro cinco seis siete ocho"]),
    ("null eins sieben sechs fünf vier drei zwei", ["null eins sieben sechs fünf vier drei zwei"]),
    ("звони +7 495 123-45-67", ["+7 495 123-45-67"]),
    ("电话 138 0013 8000", ["138 0013 8000"]),
    ("wa.me/14155552671", ["14155552671"]),
    ("555-0100", []),
    ("order number 4155552671", []),
    ("tracking 9400111899223", []),
    ("ISBN 978-3-16-148410-0", []),
    ("2024-01-15 10:30:45", []),
    ("from 2010-2019 to 2020-2024", []),
    ("01/02/2024 - 03/04/2024", []),
    ("$1,299,999.00", []),
    ("1920x1080 and 3840x2160", []),
    ("version 10.0.19041.1234", []),
    ("37.7749, -122.4194", []),
    ("3.14159265358979", []),
    ("550e8400-e29b-41d4-a716-446655440000", []),
    ("https://x.com/a/status/1234567890123456789", []),
    ("call 911 or 988", []),
    ("lifeline: 1-800-273-8255", []),
    ("score 21-19 15-21 21-18", []),
    ("one two three four five six seven eight", []),
    ("12345678901234567890123456789", []),
    ("#4155552671", []),
    ("won 2-1, 3-0 and 4-4", []),
    ("1 + 2 = 3, 4 * 5 = 20", []),
]

HANDLES = [
    ("my insta is foo_bar99", ["foo_bar99"]),
    ("my insta's foo_bar", ["foo_bar"]),
    ("my insta is jolene", ["jolene"]),
    ("insta: foo.bar", ["foo.bar"]),
    ("snap: foobar", ["foobar"]),
    ("add me on discord foo#1234", ["foo#1234"]),
    ("discord - foo_bar", []),
    ("telegram @foo", ["@foo"]),
    ("Telegram: @foo_bar.", ["@foo_bar"]),
    ("hmu on kik jo_99", ["jo_99"]),
    ("dm me on ig: jo.the.cat", ["jo.the.cat"]),
    ("add my snap jojo22", ["jojo22"]),
    ("@jo_x on insta", ["@jo_x"]),
    ("I'm foo_bar on tiktok", ["foo_bar"]),
    ("my psn id is xXslayerXx9", ["xXslayerXx9"]),
    ("skype name: jo.smith", ["jo.smith"]),
    ("follow my twitch jo_plays", ["jo_plays"]),
    ("gamertag = NoobMaster69", ["NoobMaster69"]),
    ("wechat: jojo_cn", ["jojo_cn"]),
    ("мой телеграм: @ivan_p", ["@ivan_p"]),
    ("t.me/foo_bar", ["t.me/foo_bar"]),
    ("instagram.com/foo.bar99", ["instagram.com/foo.bar99"]),
    ("thanks @foo", []),
    ("my insta is down", []),
    ("my discord is broken again", []),
    ("discord is great", []),
    ("snap out of it", []),
    ("instagram.com/explore", []),
    ("twitter is toxic", []),
    ("I saw it on tiktok", []),
    ("facebook marketplace", []),
    ("issue#1234", []),
    ("a telegram arrived today", []),
    ("oh snap that was good", []),
]


@pytest.mark.parametrize(("text", "expected"), EMAILS)
def test_emails(text: str, expected: list[str]) -> None:
    assert found(text, "email") == expected


@pytest.mark.parametrize(("text", "expected"), PHONES)
def test_phones(text: str, expected: list[str]) -> None:
    assert found(text, "phone") == expected


@pytest.mark.parametrize(("text", "expected"), HANDLES)
def test_social_handles(text: str, expected: list[str]) -> None:
    assert found(text, "social_handle") == expected


@pytest.mark.parametrize(
    ("region", "text"),
    [
        ("DE", "030 901820"),
        ("GB", "020 7946 0958"),
        ("IN", "98765 43210"),
        ("FR", "0142685300"),
        ("AU", "0412 345 678"),
    ],
)
def test_a_region_reads_its_national_numbers(region: str, text: str) -> None:
    match = search(text, PiiOptions(regions=(region,))).matches[0]
    assert (match.entity_type, match.match, match.reasons) == ("phone", text, ("valid",))
    assert match.probability > 0.5


def test_words_around_raise_and_lower_a_number() -> None:
    alone, raised, lowered = (
        max((m.probability for m in search(text).matches), default=0.0)
        for text in ("4155552671", "call me 4155552671", "order 4155552671")
    )
    assert lowered < alone < 0.5 < raised
