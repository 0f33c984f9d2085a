"""Email addresses, plain, spaced out, and spelled as in `jo (at) example dot org`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from seemly.policies.pii.search_text import Candidate, Detector, cues, has_any, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from seemly.policies.pii.search_text import Reading

__all__ = ["DETECTORS", "PROVIDERS"]

PROVIDERS = words(
    "gmail googlemail hotmail outlook live msn yahoo ymail rocketmail icloud aol proton protonmail pm gmx "
    "web mail yandex qq "
    "163 126 naver daum hanmail rediffmail zoho fastmail tutanota tuta tutamail posteo mailbox orange "
    "wanadoo laposte free sfr "
    "libero virgilio tiscali bol uol terra wp onet interia o2 seznam rambler inbox bk list mailru comcast "
    "verizon att "
    "btinternet sky bigpond t-online freenet arcor bluewin duck hey"
)
"""Second-level names of mail providers for private persons."""

_LOCAL = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-"
_AT = re.compile(r"[@＠](?<=[\w\"'+-].)(?=[\w\[])")
_DOMAIN = re.compile(r"(?:[^\W_](?:[\w-]{0,62})[.．。]){1,6}[^\W\d_]{2,24}(?:-?[^\W_])*")
_TLD = re.compile(r"[^\W\d_]{2,18}|xn--[a-z0-9-]{2,20}", re.IGNORECASE)
_LITERAL = re.compile(r"\[(?:\d{1,3}\.){3}\d{1,3}\]")

_COMMON_TLDS = words(
    "com net org edu gov mil int info biz name pro io ai app dev me tv cc co us uk de fr es it nl be ch at "
    "pl cz sk hu ro bg gr "
    "pt se no fi dk ie is ee lv lt ru ua by kz tr il ae sa eg za ng ke in pk bd lk cn jp kr tw hk sg my th "
    "vn id ph au nz ca mx "
    "br ar cl pe uy eu asia mobi tel xyz online site store shop club live email tech space website cloud "
    "digital lu li mt cy rs "
    "hr si ba mk al ge am az md ve ec bo py cr pa gt hn sv ni do cu jm tt gl fo gg je im"
)
_FILE_ENDINGS = words(
    "png jpg jpeg gif svg webp bmp ico pdf txt css js ts jsx tsx json xml html htm py rb go rs java cpp md "
    "yml yaml zip gz tar mp3 "
    "mp4 wav mov avi exe dll psd"
)
_PLACEHOLDERS = words(
    "you your user username name email someone somebody example yourname your.name your-name your_name "
    "youremail your.email your-email "
    "your_email firstname.lastname first.last myemail my.email me@ x xx xxx foo"
)
_EXAMPLE_DOMAINS = re.compile(
    r"(?:.*\.)?(?:example\.(?:com|org|net)|(?:domain|email|mail|company|yourdomain|your-domain|mydomain|"
    r"website|site)\.(?:com|tld|org))|.*\.(?:example|test|invalid|localhost|tld)",
    re.IGNORECASE,
)

_MAIL_CUES = cues(
    "email emails mail mails e-mail inbox contact reach write address gmail msg message send correo "
    "escribeme escríbeme escribir "
    "adresse schreib schreibe écris écrire courriel indirizzo scrivi scrivimi escreva почт* 邮箱* 邮件* メール* "
    "이메일* ईमेल* إيميل* بريد*"
)

_BRACKETED_AT = re.compile(r"[\[({<]\s{0,2}(?:at|AT|At|a|@|arroba|ät)\s{0,2}[\])}>]\s{0,2}")
_AT_WORDS = ("at", "arroba", "chiocciola", "klammeraffe")
_WORD_AT = re.compile(rf"(?:{'|'.join(_AT_WORDS)})(?:\s{{1,3}}|[_*~-]{{1,2}})")
_LEAD = re.compile(r"(?:\s{1,3}|[_*~-]{1,2})\Z")
_DOT_WORD = r"(?:dot|d0t|punkt|punto|point|ponto)"
_DOT = (
    rf"(?:\s{{0,2}}[\[({{<]\s{{0,2}}(?:{_DOT_WORD}|\.)\s{{0,2}}[\])}}>]\s{{0,2}}"
    rf"|(?:\s{{1,3}}|[_*~-]{{1,2}}){_DOT_WORD}(?:\s{{1,3}}|[_*~-]{{1,2}})|\s{{0,2}}\.\s{{0,2}})"
)
_SPELLED_DOMAIN = re.compile(rf"([^\W_][\w-]{{0,40}})((?:{_DOT}[^\W_][\w-]{{1,30}}){{1,4}})", re.IGNORECASE)
_DOT_PART = re.compile(_DOT, re.IGNORECASE)
_LOOSE_DOMAIN = re.compile(r"([a-z0-9-]{2,20})\s{1,2}(com|net|org|de|fr|es|it|ru|co\s?uk|uk)(?![\w.])", re.IGNORECASE)
_LOCAL_BACK = re.compile(
    r"([\w.+-]{1,64})((?:(?:\s{1,2}tod\s{1,2}|\s?[\])}]tod[\[({]\s?|\s{1,2}\.\s{1,2})[\w+-]{1,30}){0,3})", re.IGNORECASE
)
_VERBS = words(
    "look looking looks meet meeting am are is was be were here there out home stay staying live lives "
    "living work works working "
    "check found available visit see shop buy arrive arrived start starts starting good bad great best him "
    "her them you it us "
    "not only all and or the a an this that now today up down over laugh laughing yell shout stare mad "
    "angry point back in on "
    "people guys stuff things order tickets sale online price listed sold posted website site"
)

_SPACED_BACK = re.compile(r"\s{0,2}((?:[\w.+-](?:\s{1,2}(?=[\w.+-]\s|[\w.+-]$)|$|(?=\s))){2,40})")
_SPACED_DOMAIN = re.compile(
    r"\s{0,2}((?:[\w-]\s{1,2}){2,30}\.\s{1,2}(?:[a-z](?:\s{1,2}(?=[a-z](?:\s|$|[,;!?])))?){2,8})(?![\w])", re.IGNORECASE
)
_GAPPED_DOMAIN = re.compile(r"\s{0,2}([a-z0-9-]{2,30}\s{0,2}\.\s{0,2}[a-z]{2,10}(?:\.[a-z]{2})?)(?!\w)", re.IGNORECASE)


def _plain(reading: Reading) -> Iterator[Candidate]:
    text = reading.text
    for match in _AT.finditer(text):
        at = match.start()
        start = _local_start(text, at)
        domain = _domain_end(text, at + 1)
        if start == at or domain is None:
            continue
        end = domain
        local, host = text[start:at], text[at + 1 : end].lower().replace("．", ".").replace("。", ".")
        if text[max(0, start - 3) : start] == "://" or (
            start and text[start - 1] in "/:" and "://" in text[max(0, start - 40) : start]
        ):
            continue
        if local == "git" and text[end : end + 1] == ":":
            continue
        probability = _worth(local.lower(), host)
        if probability:
            yield Candidate(start, end, "email", probability, f"{local.lower()}@{host}", "format")


def _local_start(text: str, at: int) -> int:
    """Where the part before the sign begins: at most 64 characters (RFC 5321 section 4.5.3.1.1)."""
    piece = text[max(0, at - 64) : at]
    size = len(piece) - len(piece.rstrip(_LOCAL))
    while size < len(piece) and piece[-size - 1].isalnum():
        size += 1
        while size < len(piece) and piece[-size - 1] in _LOCAL:
            size += 1
    local = piece[len(piece) - size :]
    return at - len(local.lstrip(".-%_+" if not local.startswith("_") else ".-%+"))


def _domain_end(text: str, start: int) -> int | None:
    if literal := _LITERAL.match(text, start):
        return literal.end()
    match = _DOMAIN.match(text, start, start + 255)
    if match is None:
        return None
    host, end = match[0], match.end()
    labels = re.split(r"[.．。]", host)
    joined = re.match("[a-z]{2,6}(?=[A-Z])", labels[-1])
    if joined and _known(joined[0]):
        return end - len(labels[-1]) + joined.end()
    for last in range(len(labels) - 1, 0, -1):
        label = labels[last]
        sentence = label[0].isupper() and labels[last - 1].islower()
        if _known(label) or last == 1 or (last == len(labels) - 1 and not sentence):
            return end if _TLD.fullmatch(label) else None
        end -= len(label) + 1
    return None


def _known(label: str) -> bool:
    return label.lower() in _COMMON_TLDS


def _worth(local: str, host: str) -> float:
    top = host.rsplit(".", 1)[-1]
    if top in _FILE_ENDINGS and top not in _COMMON_TLDS:
        return 0.0
    if _EXAMPLE_DOMAINS.fullmatch(host):
        return 0.25 if local in _PLACEHOLDERS or host.endswith((".tld", ".invalid")) else 0.9
    if local in _PLACEHOLDERS and host.startswith(("your", "my", "domain", "company", "email.")):
        return 0.25
    return 0.98 if top in _COMMON_TLDS else 0.85


def _spelled(reading: Reading) -> Iterator[Candidate]:
    text = reading.text
    for strong, (first, last) in (*((True, at) for at in _bracketed(text)), *((False, at) for at in _worded(reading))):
        found = _forward(text, last)
        local = _back(text, first) if found else None
        if local is None or found is None:
            continue
        start, name = local
        end, host, loose = found
        probability = _belief(reading, start, end, name, host, text[first:last], strong=strong, loose=loose)
        if probability:
            yield Candidate(start, end, "email", probability, f"{name}@{host}", "obfuscated")


def _bracketed(text: str) -> Iterator[tuple[int, int]]:
    """Where the sign stands in brackets, with up to two spaces on either side."""
    done = 0
    for match in _BRACKETED_AT.finditer(text):
        lead = text[max(done, match.start() - 2) : match.start()]
        done = match.end()
        yield match.start() - len(lead) + len(lead.rstrip()), done


def _worded(reading: Reading) -> Iterator[tuple[int, int]]:
    """Where the sign is a word, with the spaces or strokes on either side."""
    text, done = reading.lower, 0
    for at in sorted(at for word in _AT_WORDS for at in reading.occurrences(word)):
        lead = _LEAD.search(text, max(done, at - 3), at)
        match = _WORD_AT.match(text, at) if lead else None
        if lead and match:
            done = match.end()
            yield lead.start(), done


def _back(text: str, at: int) -> tuple[int, str] | None:
    """The local part that ends at `at`, read from the right, with spelled dots."""
    behind = text[max(0, at - 120) : at][::-1]
    match = _LOCAL_BACK.match(behind)
    if match is None:
        return None
    written = match[0][::-1]
    name = re.sub(r"\s*[\[({]?\b(?:dot)\b[\])}]?\s*|\s+\.\s+", ".", written, flags=re.IGNORECASE).lower()
    lead = len(written) - len(written.lstrip(".-+"))
    return at - len(written) + lead, name.strip(".-+")


def _forward(text: str, at: int) -> tuple[int, str, bool] | None:
    """The end of, and, the domain that begins at `at`; True where its dot is left out."""
    match = _SPELLED_DOMAIN.match(text, at, at + 160)
    if match is not None:
        labels = [match[1].lower()]
        end, ends = match.end(1), [match.end(1)]
        for dot in _DOT_PART.finditer(match[2]):
            label = re.match(r"[^\W_][\w-]*", match[2][dot.end() :])
            if label is None:
                break
            labels.append(label[0].lower())
            ends.append(end + dot.end() + label.end())
        while len(labels) > 1:
            if _known(labels[-1]):
                return ends[len(labels) - 1], ".".join(labels), False
            labels.pop()
    match = _LOOSE_DOMAIN.match(text, at, at + 40)
    if match is not None and match[1].lower() in PROVIDERS:
        return match.end(), f"{match[1]}.{match[2]}".lower(), True
    return None


def _belief(
    reading: Reading, start: int, end: int, name: str, host: str, sign: str, *, strong: bool, loose: bool
) -> float:
    """How likely words around an `at` are an address rather than a sentence."""
    provider = host.split(".")[0] in PROVIDERS
    if not name:
        return 0.0
    if strong:
        return 0.95 if provider else 0.85
    handle = any(char.isdigit() or char in "._+-" for char in name)
    if name in _VERBS:
        return 0.3 if provider and not loose else 0.0
    if provider:
        return 0.8 if loose else 0.92
    shouted = sign.strip().isupper() and not name.isupper() and "DOT" in reading.text[start:end]
    asked = reading.near(_MAIL_CUES, start, end)
    spelled = (
        "dot" in reading.lower[start:end] or "punkt" in reading.lower[start:end] or "punto" in reading.lower[start:end]
    )
    if spelled:
        return 0.85 if shouted or asked or handle else 0.45
    return 0.7 if handle and asked else 0.0


def _spaced(reading: Reading) -> Iterator[Candidate]:
    """Letters or parts set apart around a written sign: `j o @ g m a i l . c o m`, `jo @ gmail . com`."""
    text = reading.text
    at = text.find("@")
    while at >= 0:
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        if before.isspace() or after.isspace() or _GAP.match(text, at + 1):
            candidate = _apart(reading, at)
            if candidate is not None:
                yield candidate
        at = text.find("@", at + 1)


_GAP = re.compile(r"[\w-]{2,30}(?:\s{1,2}\.|\.\s)")


def _apart(reading: Reading, at: int) -> Candidate | None:
    text = reading.text
    behind = text[max(0, at - 100) : at][::-1]
    letters = _SPACED_DOMAIN.match(text, at + 1, at + 120)
    if letters is not None:
        host = "".join(letters[1].split()).lower()
        back = _SPACED_BACK.match(behind) or _LOCAL_BACK.match(behind.lstrip())
        if back is not None and _known(host.rsplit(".", 1)[-1]):
            skipped = 0 if back.re is _SPACED_BACK else len(behind) - len(behind.lstrip())
            name = "".join(back[0].split())[::-1].lower()
            length = len(back[0].rstrip())
            return Candidate(
                at - skipped - length, at + 1 + len(letters[0].rstrip()), "email", 0.9, f"{name}@{host}", "obfuscated"
            )
    parts = _GAPPED_DOMAIN.match(text, at + 1, at + 60)
    back = _LOCAL_BACK.match(behind.lstrip())
    if parts is None or back is None:
        return None
    host = "".join(parts[1].split()).lower()
    name = back[1][::-1].lower().strip(".-+")
    skipped = len(behind) - len(behind.lstrip())
    start = at - skipped - len(name)
    provider = host.split(".")[0] in PROVIDERS
    if not name or not _known(host.rsplit(".", 1)[-1]) or name in _VERBS:
        return None
    if not provider and not reading.near(_MAIL_CUES, start, parts.end()):
        return None
    return Candidate(start, parts.end(), "email", 0.85, f"{name}@{host}", "obfuscated")


_SPELLED_TRIGGERS = frozenset({"dot", "punkt", "punto", "arroba", "chiocciola", "klammeraffe"}) | {
    provider
    for provider in PROVIDERS
    if len(provider) > 4 and provider.isalpha() and provider not in {"orange", "terra", "inbox"}
}


def _may_spell(reading: Reading) -> bool:
    if not _SPELLED_TRIGGERS.isdisjoint(reading.vocabulary):
        return True
    return has_any(reading.text, _BRACKETS) and has_any(reading.lower, _SIGNS)


_BRACKETS = (")", "]", "}", ">", "(@", "[@")
_SIGNS = ("at)", "at]", "at}", "at >", "at )", "at ]", "(@", "[@", "(a)", "[a]", "at>")

DETECTORS = (
    Detector(("email",), lambda reading: reading.has_at, _plain),
    Detector(("email",), lambda reading: reading.has_at, _spaced),
    Detector(("email",), _may_spell, _spelled, _SPELLED_TRIGGERS),
)
