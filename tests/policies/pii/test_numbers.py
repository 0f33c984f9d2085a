"""Cards, accounts, identity numbers, network addresses, wallets and documents; python-stdnum is the oracle."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import bic, iban, luhn

from seemly.policies.pii.keccak import keccak256
from seemly.policies.pii.payment import luhn as ours
from tests.support.pii_search import found, search

CASES = {
    "payment_card": [
        ("4111 1111 1111 1111", ["4111 1111 1111 1111"]),
        ("at 45 4111 1111 1111 1111", ["4111 1111 1111 1111"]),
        ("4111-1111-1111-1111", ["4111-1111-1111-1111"]),
        ("4111111111111111", ["4111111111111111"]),
        ("5555555555554444 is mine", ["5555555555554444"]),
        ("2223003122003222", ["2223003122003222"]),
        ("3782 822463 10005", ["3782 822463 10005"]),
        ("amex 378282246310005", ["378282246310005"]),
        ("6011111111111117", ["6011111111111117"]),
        ("3530111333300000", ["3530111333300000"]),
        ("30569309025904", ["30569309025904"]),
        ("6200000000000005", ["6200000000000005"]),
        ("card 6759649826438453", ["6759649826438453"]),
        ("card 4222222222222", ["4222222222222"]),
        ("visa: 4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", ["4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"]),
        ("４１１１ １１１１ １１１１ １１１１", ["４１１１ １１１１ １１１１ １１１１"]),
        ("card 4111 1111 1111 1112", ["4111 1111 1111 1112"]),
        ("pay 4111 1111 1111 1111, exp 12/27", ["4111 1111 1111 1111"]),
        ("4111 1111 1111 1112", []),
        ("0000000000000000", []),
        ("1234567812345670", []),
        ("tracking 4111111111111", []),
        ("4111-1111", []),
        ("2024010112000000", []),
        ("id=4111111111111111", []),
        ("99999999999999999999999", []),
    ],
    "iban": [
        ("DE89370400440532013000", ["DE89370400440532013000"]),
        ("DE89 3704 0044 0532 0130 00 thanks", ["DE89 3704 0044 0532 0130 00"]),
        ("GB82 WEST 1234 5698 7654 32", ["GB82 WEST 1234 5698 7654 32"]),
        ("de89370400440532013000", ["de89370400440532013000"]),
        ("FR14 2004 1010 0505 0001 3M02 606.", ["FR14 2004 1010 0505 0001 3M02 606"]),
        ("NL91ABNA0417164300", ["NL91ABNA0417164300"]),
        ("DE89-3704-0044-0532-0130-00", ["DE89-3704-0044-0532-0130-00"]),
        ("my iban DE00370400440532013000", ["DE00370400440532013000"]),
        ("DE00370400440532013000", []),
        ("XX89370400440532013000", []),
        ("DE8937040044053201300", []),
        ("DE89370400440532013000123", []),
        ("AB12 is a code", []),
    ],
    "bic": [
        ("BIC DEUTDEFF", ["DEUTDEFF"]),
        ("swift: DEUTDEFF500", ["DEUTDEFF500"]),
        ("IBAN and BIC: COBADEFFXXX", ["COBADEFFXXX"]),
        ("DEUTDEFF", []),
        ("bank of IMPORTANT", []),
        ("swift ANSWERED", []),
    ],
    "ip_address": [
        ("84.12.33.200", ["84.12.33.200"]),
        ("his ip is 84.12.33.200.", ["84.12.33.200"]),
        ("84.12.33.200:8080", ["84.12.33.200"]),
        ("192.168.1.20", ["192.168.1.20"]),
        ("2001:0db8:85a3::8a2e:0370:7334", ["2001:0db8:85a3::8a2e:0370:7334"]),
        ("[2001:db8:1:2:3:4:5:6]:443", ["2001:db8:1:2:3:4:5:6"]),
        ("127.0.0.1", []),
        ("8.8.8.8", []),
        ("version 1.2.3.4", []),
        ("driver version 84.12.33.200", []),
        ("256.1.1.1", []),
        ("1.2.3.4.5", []),
        ("10:30:45", []),
        ("std::vector a::b", []),
        ("::1", []),
    ],
    "mac_address": [
        ("00:1B:44:11:3A:B7", ["00:1B:44:11:3A:B7"]),
        ("00-1b-44-11-3a-b7", ["00-1b-44-11-3a-b7"]),
        ("001b.4411.3ab7", ["001b.4411.3ab7"]),
        ("00:00:00:00:00:00", []),
        ("00:1B:44:11:3A", []),
        ("00:1B-44:11-3A:B7", []),
    ],
    "us_ssn": [
        ("536-22-1234", ["536-22-1234"]),
        ("ssn 536 22 1234", ["536 22 1234"]),
        ("social security 536221234", ["536221234"]),
        ("ssn: 666-12-1234", ["666-12-1234"]),
        ("666-12-1234", []),
        ("000-12-1234", []),
        ("536221234", []),
        ("536-22-12345", []),
    ],
    "us_itin": [("912-90-3456", ["912-90-3456"]), ("912-00-3456", [])],
    "gb_nino": [
        ("AB 12 34 56 C", ["AB 12 34 56 C"]),
        ("ni ab123456c", ["ab123456c"]),
        ("BG 12 34 56 C", []),
        ("AB 12 34 56 E", []),
    ],
    "gb_nhs": [("nhs 943 476 5919", ["943 476 5919"]), ("943 476 5919", []), ("nhs 943 476 5918", [])],
    "de_steuer_id": [
        ("steuer-id 36 574 261 809", ["36 574 261 809"]),
        ("36 574 261 809", ["36 574 261 809"]),
        ("36 574 261 808", []),
    ],
    "fr_nir": [("2 95 10 99 126 111 93", ["2 95 10 99 126 111 93"]), ("2 95 10 99 126 111 94", [])],
    "es_dni": [("54362315K", ["54362315K"]), ("54362315-K", ["54362315-K"]), ("54362315A", [])],
    "es_nie": [("X-2482300W", ["X-2482300W"]), ("x2482300w", ["x2482300w"]), ("X2482300A", [])],
    "it_codice_fiscale": [("RSSMRA85T10A562S", ["RSSMRA85T10A562S"]), ("RSSMRA85T10A562X", [])],
    "nl_bsn": [("bsn 111222333", ["111222333"]), ("111222333", [])],
    "pl_pesel": [("pesel 44051401359", ["44051401359"]), ("44051401359", []), ("pesel 44051401358", [])],
    "br_cpf": [("390.533.447-05", ["390.533.447-05"]), ("cpf 39053344705", ["39053344705"]), ("390.533.447-06", [])],
    "in_aadhaar": [("aadhaar 2341 2341 2346", ["2341 2341 2346"]), ("aadhaar 2341 2341 2347", [])],
    "in_pan": [("pan AAPPV8261K", ["AAPPV8261K"]), ("AAXPV8261", [])],
    "ca_sin": [("sin 123-456-782", ["123-456-782"]), ("123-456-782", []), ("sin 999-999-999", [])],
    "au_tfn": [("tfn 123 456 782", ["123 456 782"]), ("123 456 782", [])],
    "se_personnummer": [("880320-0016", ["880320-0016"]), ("880320-0018", [])],
    "fi_hetu": [("131052-308T", ["131052-308T"]), ("131052-308U", [])],
    "cn_ric": [("身份证 360426199101010071", ["360426199101010071"]), ("360426199101010072", [])],
    "kr_rrn": [("971013-9019902", ["971013-9019902"]), ("971013-9019903", [])],
    "ch_ssn": [("756.9217.0769.85", ["756.9217.0769.85"]), ("756.9217.0769.84", [])],
    "be_nn": [("85.07.30-033.28", ["85.07.30-033.28"]), ("85.07.30-033.61", [])],
    "cl_rut": [("12.531.909-2", ["12.531.909-2"]), ("12.531.909-3", [])],
    "mx_curp": [("BOXW310820HNERXN09", ["BOXW310820HNERXN09"]), ("BOXW310820HNERXN08", [])],
    "crypto_wallet": [
        ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ["1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"]),
        ("3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy!", ["3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"]),
        ("bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", ["bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"]),
        ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"]),
        ("eth 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", ["0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"]),
        ("rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", ["rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"]),
        ("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", ["TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"]),
        ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb", []),
        ("bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdz", []),
        ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", []),
        ("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", []),
        ("3f786850e387550fdab836ed7e6dc881de23001b", []),
    ],
    "passport": [
        ("passport number AB1234567", ["AB1234567"]),
        ("my passport no. is 533380006", ["533380006"]),
        ("Reisepass: C01X00T47", ["C01X00T47"]),
        ("passport photos 35 x 45", []),
        ("AB1234567", []),
        ("passport expires 2027", []),
    ],
    "driving_licence": [
        ("my driver's license is D123-4567-8901", ["D123-4567-8901"]),
        ("DL: F162823540116", ["F162823540116"]),
        ("Führerschein B072RRE2I55", ["B072RRE2I55"]),
        ("software license key AB12345678", []),
        ("F162823540116", []),
    ],
    "bank_account": [
        ("account number 12345678", ["12345678"]),
        ("routing number: 021000021", ["021000021"]),
        ("12345678", []),
    ],
    "medical_record": [("MRN-512192", ["MRN-512192"]), ("MRN 8837462", ["8837462"]), ("record sales of 1234567", [])],
}


@pytest.mark.parametrize(
    ("entity", "text", "expected"), [(entity, *case) for entity, cases in CASES.items() for case in cases]
)
def test_numbers(entity: str, text: str, expected: list[str]) -> None:
    assert found(text, entity) == expected


@given(st.text("0123456789", min_size=12, max_size=19))
def test_luhn_agrees_with_stdnum(digits: str) -> None:
    assert ours(digits) == luhn.is_valid(digits)


@pytest.mark.parametrize(
    "country", ["AT483200000012345864", "BE71096123456769", "CH5604835012345678009", "PL10105000997603123456789123"]
)
def test_ibans_that_stdnum_knows_are_found(country: str) -> None:
    assert iban.is_valid(country, check_country=False)
    assert found(country, "iban") == [country]


def test_the_bics_of_the_table_are_ones_that_stdnum_knows() -> None:
    assert all(bic.is_valid(code) for _, codes in CASES["bic"] for code in codes)


def test_keccak_is_not_sha3() -> None:
    assert keccak256(b"").hex() == "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
    assert keccak256(b"abc").hex() == "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"
    assert keccak256(b"a" * 136) != hashlib.sha3_256(b"a" * 136).digest()


@pytest.mark.parametrize(
    "text",
    [
        "it costs $1,299.99 or 1.299,99 €",
        "in 1999, 2008 and 2024",
        "2024-05-06T07:08:09Z",
        "v1.2.3-beta.4 build 20240506",
        "UPC 036000291452",
        "#ff00aa #123456",
        "100 000 000 people",
        "9.81 m/s^2 * 12.5 = 122.625",
        "IMG_20240506_070809.jpg",
        "order 112-3456789-1234567",
        "52.5200° N, 13.4050° E",
        "for (int i = 0; i < 1000000; i++)",
        "won 6-4 7-6 6-3",
        "ticket no 123456789",
        "the 2010s and the 1980s",
        "10% of 5,000,000",
    ],
)
def test_ordinary_numbers_are_nobodys(text: str) -> None:
    assert search(text).probability < 0.5
