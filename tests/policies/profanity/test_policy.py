"""The lexicon, what it finds and what it leaves alone, and the policy on top of it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly.core.channel import Channel, Wordlist
from seemly.policies.profanity.lexicon import censor, contains_profanity, lexicon
from seemly.policies.profanity.policy import MASK, SPEC, ProfanityOptions, find_profanity
from seemly.policies.protocol import Finding, Item
from seemly.text.matching.patterns import parse_pattern
from seemly.text.normalize import normalize

TABLES = Path(__file__).parents[2] / "tables"
ROWS = [
    row.split("\t")
    for row in files("seemly").joinpath("data/profanity.tsv").read_text("utf-8").splitlines()
    if not row.startswith("#")
]

INNOCENT = """
Scunthorpe; Penistone; Lightwater; Essex; Sussex; Middlesex; Wessex; Cockermouth; Cockfosters; Hancock; Babcock; Woodcock;
Hitchcock; Alcock; Glasscock; Dickens; Dickinson; Dickson; Benedick; Shitake; shiitake; Matsushita; Yamashita; Kinoshita;
Takeshita; Yoshito; Harshita; Ishita; Peshitta; Kushite; Shiite; Shittim; Assisi; Assam; Passau; Massachusetts; Nassau;
Bassett; Cassandra; Ambassador; assassin; assess; assume; assignment; bass; brass; class; compass; embassy; grass; glass;
harass; mass; pass; passage; classic; classification; cumulative; accumulate; circumstance; cucumber; document; Cumbria;
Cumberland; Cummings; scum-free; analysis; analyst; canal; analogue; banal; psychoanalysis; title; titan; titillate; petite;
constitution; appetite; Titchmarsh; Tittensor; button; butter; butterfly; rebuttal; Buttermere; contribute; attribute;
sextant; sextet; sexton; Sexsmith; unisex; bisect; cockpit; cocktail; peacock; cockroach; shuttlecock; weathercock;
cockatoo; cockney; hancock tower; therapist; the rapist was caught; grape; drape; scrape; trapeze; skyscraper; Uganda Hancock;
who re ads this; as sad as that; pen is mightier; pen islands; powergen Italia; experts exchange; speed of art; mans laughter;
it's hit the wall; let's hit the road; was hit by a car; wash it; push it; publish it; finish it; flash it; mesh it;
Niger; Nigeria; Nigerian; snigger; niggle; niggling; renege; denigrate; Montenegro; raccoon; cocoon; tycoon; Coonoor;
Twatt in Orkney is near Wattle; saltwater; meltwater; Wasterlain; swank; swanky; Wankel; Wankhede; Bankside; Swansea;
faggio; Fagin; fagus; Fagerlund; Spicer; spice; despicable; conspicuous; hospice; auspicious; chinked armour; Kinkead;
Pakistan; Pakistani; Japan; Japanese; Chincoteague; gooky; Gookin; dyker; Vandyke; Klondike; Pikes Peak; homogeneous;
homologous; homonym; Hoekstra; hoedown; shoe; phoenix; slagheap; sluttering; Slough; Whorley; Whorlton; whorl; Horeb;
pussyfoot; octopus; Pusan; platypus; campus; opus; bitchumen; Bitche in Lorraine; habit change; Babich; kibitzer; pistol;
pissoir; Pissarro; episode; Piscataway; Fuchs; Fukushima; Fuksas; Fukuoka; Fuchsia; Phuket; Phuc Nguyen; muffin; mufti;
bastion; bastille; prickly pear; pricking; cactus prickles; bollard; bullock;
Beschluss; beslutning; avslutning; Schlussel; Vögel; den Vögeln; Klasse; lassen; Wasser; Fußball; Straße; küssen; dick und doof;
Er ist dick; Spaß; muss; Kuss; Ausschuss; Kekse; Huch; Hutchinson; Arsenal; arsenic; parse; coarse; sparse; Marseille; Arsène;
faire du vélo; un cône; en retard; il est en retard; pique-nique; la douche; député; dispute; réputation;
computador; disputa; reputación; diputado; imputar; la hora; el cono; picas; pico; curva; una curva; gato negro; mar negro;
fica aqui; corno inglese; Troia; perse; per se; la Perse; sei un amico; coglie; scopare il pavimento; pene e gioie;
mutta; sukat; lutka; perseus; kulkija; kissa; Helsinki; pikku; piirakka; vit; vitamin; pula; dupa amiaza; după; cu mine;
kurier; kurwatura nie; Kurven; Kurve; en kurve; sitta; slut på dagen; det er slut; fart; infart; puss och kram; fem fag;
застрахуй; подстрахуй; Мандарин; команда; мандат; хлебало; требовать; потребитель; употреблять; колебать; небо; рубля; корабля;
сабля; грабля; Херсон; херувим; мудрый; жидкость; ожидать; Насралла; сукно; рассудок; гондола; блюдо; страхуйте; психуй;
다시 발표; 시발점; 출시 발표; 보지 않았다; 자지 않고; 아버지; 새끼손가락; 개나리; バカンス; カスタマー; アナログ; マンション; ちんすこう;
我妈的生日; 姑妈的家; 操作; 体操; 做操; 牛奶; 奶奶; 干活; 干净; 靠背; 逼近; 逼真; các bạn; lon bia; cái lon; cuộc; đi mẹ ơi; còn các em;
كس; سكس-; الكسل; كسر; नमस्ते; चोट; लंबा; μαλακός; πουλί; κώλυμα; תחתית; **bold** text; ***; ****; 5 * 3 * 2; a*b*c;
f(x) = x*k; rating: *****; Galaxy A55; gate B17; sh, it's late; run.sh it works; T. Watt; Mr. Cumberbatch; Sussex cunning;
"""
WORDS = [text.strip() for text in INNOCENT.replace("\n", " ").split(";") if text.strip()]

PROFANE = """
fuck; FUCKING; fuuuuck; fuuck; f.u.c.k; f u c k; fu ck; f uck; fuc k; fu.ck; f*ck; f**k; f**king; fuckyou; #FuckThis; whatthefuck;
stupidbitch; motherfuckingasshole; motherfucker; mother fucker; unfuckingbelievable; sh1t; sh!t; sh*t; s**t; shiiiit; shitttt;
bullshit; sh it; bit ch; b*tch; b1tch; biiitch; bitches; a$$; asssss; assh0le; asshо1e; as shole; a**hole; ass hole; a$$hole;
c*nt; cunts; n*gga; n1gger; niggers; faggots; f4ggot; wh0re; slutty; wanker; d!ckhead; d*ck; cocksucker; pussy; tits;
bullsh1t; 5h1t; fück; ｆｕｃｋ; Scheiße; SCHEISSE; scheisse; Arschloch; Hurensohn; verfickte; putain; enculé; connard; hijo de puta; mierda;
pendejo; gilipollas; caralho; filho da puta; porra; cazzo; vaffanculo; stronzo; kurwa; kurwy; spierdalaj; jebać; kokot; kurva;
vittu; perkele; saatana; fitte; jävla; fisse; kut; klootzak; godverdomme; siktir; orospu çocuğu; amına koyim; хуй; нахуй; пиздец;
ебать; заебал; долбоёб; бля; сука; пидорас; мудак; хуйня; нахуй; μαλάκας; γαμώτο; شرموطة; كس امك; בן זונה; کسکش; मादरचोद; चूतिया;
madarchod; bhenchod; মাদারচোদ; 씨발; 시발놈아; 병신이; 开除这个傻逼; 操你妈; 你他妈的; クソ野郎だ; くたばれ; เย็ดแม่; ไอ้เหี้ย; địt mẹ; bangsat;
putangina; 🖕
"""
ATTACKS = [text.strip() for text in PROFANE.replace("\n", " ").split(";") if text.strip()]


@pytest.mark.parametrize("text", WORDS)
def test_ordinary_words_are_left_alone(text: str) -> None:
    assert [match.match for match in find_profanity(normalize(text), minimum_grade=2)] == []


@pytest.mark.parametrize("text", ATTACKS)
def test_profanity_is_found(text: str) -> None:
    assert contains_profanity(f"oh {text}")


def rows(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (TABLES / name).read_text("utf-8").splitlines()]


def test_the_table_of_attacks() -> None:
    attacks = [row for row in rows("attacks.jsonl") if row["technique"] != "spoof_brand"]
    missed = [row["found"] for row in attacks if not overlaps(row["text"], row["found"])]
    assert len(missed) <= 0.04 * len(attacks), missed


def overlaps(text: str, found: str) -> bool:
    start = text.index(found)
    end = start + len(found)
    matches = find_profanity(normalize(text), minimum_grade=2)
    return any(match.span.start < end and start < match.span.end for match in matches)


def test_the_table_of_innocents() -> None:
    wrong = [row["text"] for row in rows("innocents.jsonl") if contains_profanity(row["text"])]
    assert wrong == []


@given(
    st.lists(st.sampled_from([*ATTACKS, *WORDS, "\u0301", "‮", "🙂", "1!|"]), max_size=6),
    st.sampled_from(["", " ", "\n"]),
)
def test_spans_are_exact_and_in_order(pieces: list[str], gap: str) -> None:
    text = gap.join(pieces)
    matches = find_profanity(normalize(text))
    assert [match.match for match in matches] == [text[match.span.start : match.span.end] for match in matches]
    assert all(match.match for match in matches)
    assert [match.span for match in matches] == sorted(match.span for match in matches)


@given(st.text(max_size=60))
def test_any_text_will_do(text: str) -> None:
    assert len(censor(text)) == len(text)
    assert censor(text, "") == "" or contains_profanity(text) or censor(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what the fuck, dude", "what the ****, dude"),
        ("f u c k, off", "*******, off"),
        ("Scunthorpe", "Scunthorpe"),
        ("you stupidbitch", "you stupid*****"),
        ("fuuuuck", "*******"),
    ],
)
def test_censor(text: str, expected: str) -> None:
    assert censor(text) == expected


def test_a_joiner_behind_an_apostrophe_shifts_no_word() -> None:
    assert censor("x'می\u200cخواهم fuck") == "x'می\u200cخواهم ****"


def test_censor_with_another_character() -> None:
    assert censor("shit!", "#") == "####!"


def test_patterns_stand_folded_in_the_table() -> None:
    wrong = []
    for (
        word,
        *_,
    ) in ROWS:
        pattern = parse_pattern(word)
        folded = " ".join("*" * p.before + p.text + "*" * p.after for p in pattern.parts) or pattern.symbol
        if folded != word:
            wrong.append(word)
    assert wrong == []


def test_the_table_is_small_and_sound() -> None:
    assert 3000 <= len(ROWS) <= 9000
    assert len({row[0] for row in ROWS}) == len(ROWS)
    assert {row[2] for row in ROWS} == {"0", "1", "2", "3"}
    assert len({language for row in ROWS for language in row[1].split(",")}) >= 30
    assert len(lexicon()) == len(ROWS)


def check(text: str, options: ProfanityOptions | None = None, *allow: Wordlist, **fields: object) -> Finding:
    policy = SPEC.build(options or ProfanityOptions(), Channel(wordlists=allow))
    return policy.check([Item(normalize(text), **fields)])[0]


@pytest.mark.parametrize(
    ("text", "scores", "probability"),
    [
        ("a quiet text", {}, 0.0),
        ("a quiet text", {"profanity": 0.2}, 0.2),
        ("damn", {}, 0.4),
        ("damn", {"profanity": 0.02}, 0.21),
        ("damn", {"profanity": 0.9}, 0.9),
        ("fuck", {}, 0.85),
        ("fuck", {"profanity": 0.1}, 0.85),
        ("fuck", {"profanity": 0.99}, 0.99),
        ("faggot", {"profanity": 0.1}, 0.97),
    ],
)
def test_model_and_words_combine(text: str, scores: dict[str, float], probability: float) -> None:
    assert check(text, scores=scores).probability == pytest.approx(probability)


def test_matches_say_what_they_are() -> None:
    match = check("you FUCK").matches[0]
    assert (match.match, match.entity_type, match.flagging, match.mask) == ("FUCK", "profanity", True, None)
    assert match.reasons == ("grade:2", "lang:en")


def test_options() -> None:
    assert check("damn", ProfanityOptions(minimum_grade=2)).matches == ()
    assert check("fuck", ProfanityOptions(languages=("de",))).matches == ()
    assert check("Scheiße", ProfanityOptions(languages=("de",), mask=True)).matches[0].mask == MASK


def test_allow_lists_exempt() -> None:
    allow = Wordlist(key="ok", mode="allow", words=("fuck cancer",))
    assert check("Fuck cancer!", None, allow).matches == ()
    assert len(check("Fuck you", None, allow).matches) == 1


def test_a_word_that_is_ordinary_in_the_texts_language() -> None:
    assert check("ein ass", language="de").probability < check("kick your ass", language="en").probability
