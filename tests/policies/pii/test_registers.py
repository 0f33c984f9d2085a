"""Numbers of registers, tax offices, insurers and vehicles; and checks where python-stdnum is out of date."""

from __future__ import annotations

import pytest
from stdnum.us import itin

from tests.support.pii_search import found

CASES = [
    ("au_abn", "ABN 51 824 753 556", "51 824 753 556"),
    ("au_acn", "our ACN is 004 085 616", "004 085 616"),
    ("de_social_security", "Sozialversicherungsnummer 15 070649 C 103", "15 070649 C 103"),
    ("de_health_insurance", "Krankenversichertennummer A123456780", "A123456780"),
    ("de_tax_number", "Steuernummer 181/815/08155", "181/815/08155"),
    ("de_id_card", "Personalausweis L01X00T47", "L01X00T47"),
    ("de_vat", "USt-IdNr.: DE136695976", "DE136695976"),
    ("de_handelsregister", "Amtsgericht Köln, HRB 12345", "HRB 12345"),
    ("de_plate", "mein Kennzeichen ist B-MW 1234", "B-MW 1234"),
    ("in_gstin", "27AAPFU0939F1ZV", "27AAPFU0939F1ZV"),
    ("in_vehicle", "vehicle KA 01 AB 1234", "KA 01 AB 1234"),
    ("it_id_card", "carta d'identità CA12345AB", "CA12345AB"),
    ("it_vat", "partita IVA 00743110157", "00743110157"),
    ("kr_business", "사업자등록번호 116-82-00276", "116-82-00276"),
    ("kr_foreigner", "외국인등록번호 950101-5123456", "950101-5123456"),
    ("us_dea", "DEA AB1234563", "AB1234563"),
    ("us_mbi", "Medicare 1EG4-TE5-MK72", "1EG4-TE5-MK72"),
    ("ng_nin", "NIN 12345678901", "12345678901"),
    ("ph_tin", "TIN: 123-456-789-000", "123-456-789-000"),
    ("se_organisation", "organisationsnummer 556703-7485", "556703-7485"),
    ("sg_nric", "my NRIC is S1234567D", "S1234567D"),
    ("tr_plate", "plaka 34 AB 1234", "34 AB 1234"),
    ("gb_plate", "my reg is AB12 CDE", "AB12 CDE"),
    ("passport", "Reisepassnummer C01X00T47", "C01X00T47"),
    ("driving_licence", "Führerscheinnummer B072RRE2I55", "B072RRE2I55"),
    ("kr_rrn", "주민등록번호 210315-3123456", "210315-3123456"),
    ("es_dni", "DNI 4876531W", "4876531W"),
    ("za_id", "ID 8802145001286", "8802145001286"),
    ("us_itin", "ITIN 912-65-3456", "912-65-3456"),
]


@pytest.mark.parametrize(("entity", "text", "value"), CASES)
def test_a_number_is_found_by_its_name(entity: str, text: str, value: str) -> None:
    assert found(text, entity) == [value]


@pytest.mark.parametrize(
    "text",
    [
        "order 51 824 753 556 shipped",
        "the part S1234567D fits",
        "ABN 51 824 753 557",
        "NRIC S1234567A",
        "DEA AB1234567",
        "Krankenversichertennummer A123456789",
        "12345678901 views",
        "level HRB 12 monster",
        "B-MW 1234 is the bolt",
    ],
)
def test_other_numbers_are_left_alone(text: str) -> None:
    assert [value for value in found(text) if value] == []


def test_itin_follows_the_ranges_of_today() -> None:
    assert found("ITIN 900-66-0001", "us_itin") == []
    assert found("ITIN 900-93-0001", "us_itin") == []
    assert found("ITIN 900-50-0001", "us_itin") == ["900-50-0001"]
    assert itin.is_valid("900-93-0001") is False
