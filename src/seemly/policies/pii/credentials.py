"""Secrets: keys and tokens of well-known shape, private keys, bearer tokens, and passwords told as such."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from seemly.policies.pii.search_text import Candidate, Detector, cues

if TYPE_CHECKING:
    from collections.abc import Iterator

    from seemly.policies.pii.search_text import Reading

__all__ = ["DETECTORS"]

_TOKEN = re.compile(r"[A-Za-z0-9_\-.+/=]{16,}")
_SHAPES = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])"
    r"|gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255}|glpat-[A-Za-z0-9_-]{20,64}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-\d-[A-Za-z0-9-]{20,200}"
    r"|hooks\.slack\.com/services/T[A-Za-z0-9_/]{20,80}"
    r"|[srp]k_(?:live|test)_[A-Za-z0-9]{16,247}|whsec_[A-Za-z0-9+/=]{24,100}"
    r"|AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])|ya29\.[A-Za-z0-9_-]{20,512}|GOCSPX-[A-Za-z0-9_-]{28}"
    r"|sk-(?:proj-|svcacct-|ant-|or-)?[A-Za-z0-9_-]{20,250}"
    r"|(?:AC|SK)[0-9a-f]{32}(?![A-Za-z0-9])"
    r"|SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"
    r"|key-[0-9a-f]{32}(?![A-Za-z0-9])|npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])|pypi-AgE[A-Za-z0-9_-]{50,250}"
    r"|hf_[A-Za-z0-9]{30,40}|dop_v1_[0-9a-f]{64}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|sq0(?:atp|"
    r"csp)-[A-Za-z0-9_-]{22,43}"
    r"|EAACEdEose0cBA[A-Za-z0-9]{10,250}|\d{8,10}:AA[A-Za-z0-9_-]{33}"
    r"|eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}"
    r")"
)
_BOT_TOKEN = re.compile(r"(?<![A-Za-z0-9])\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])")

_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_BODY = re.compile(r"[A-Za-z0-9+/=\s]*")
_LONGEST_KEY = 16_384

_BEARER = re.compile(r"(?i:bearer|basic)\s{1,3}([A-Za-z0-9._~+/-]{16,4096}={0,2})")
_ASSIGNED = re.compile(
    r"(?:\s?['\"])?\s{0,3}(?:[:=]|=>|:=|\bis\b)\s{0,3}['\"`]?([A-Za-z0-9_\-./+]{12,512}={0,2})", re.IGNORECASE
)
_USERINFO = re.compile(r"://[^\s/@:]{1,64}:([^\s/@]{1,128})@(?=[\w\[])")

_PASSWORDS = (
    "password",
    "passwd",
    "pwd",
    "passcode",
    "passphrase",
    "pass",
    "pw",
    "passwort",
    "kennwort",
    "contraseña",
    "clave",
    "senha",
    "motdepasse",
    "passe",
    "wachtwoord",
    "hasło",
    "пароль",
    "lösenord",
    "parola",
    "şifre",
    "密码",
)
_SECRETS = ("secret", "token", "apikey", "key", "secretkey", "accesskey", "clientsecret")
_TOLD = re.compile(
    r"(?:['\"]?\s{0,3}(?P<sign>=>|:=|[:=：]))\s{0,3}(?P<quote>['\"`«“]?)(?P<given>[^\s'\"`»”]{4,64})"
    r"|(?:\s{1,2}(?:for|to|of)\s(?:\S{1,20}\s){0,3}?)?\s{0,2}(?:is now|is|was|ist|es|est|é|è|to|"
    r"jest)\s{1,2}(?:still\s)?(?P<quote2>['\"`«“]?)(?P<said>[^\s'\"`»”]{4,64})",
    re.IGNORECASE,
)
_NO_PASSWORD = re.compile(
    r"[*•.xX_#-]+|[<{\[$(%].*|(?:required|none|null|true|false|string|undefined|optional|hidden|wrong|"
    r"incorrect|invalid|expired|weak|"
    r"secure|strong|correct|needed|protected|encrypted|hashed|stored|sent|saved|changed|reset|forgotten|too|"
    r"not|the|same|your|yours|"
    r"something|anything|what|always|never|only|very|still|already|also|just|like|that|this|there|case|long|"
    r"short|easy|hard|working|"
    r"really|being|going|important|unique|valid|empty|missing|default|yourpassword|password|mypassword|here|"
    r"unknown|visible)[.,!?;:)]*",
    re.IGNORECASE,
)


def _shaped(reading: Reading) -> Iterator[Candidate]:
    text = reading.text
    for token in (token for span in reading.long for token in _TOKEN.finditer(text, *span)):
        if token.end() - token.start() > _LONGEST_KEY:
            continue
        for match in _SHAPES.finditer(text, *token.span()):
            start, end = match.span()
            while text[end - 1] in ".-=" and match[0][-1] != "=":
                end -= 1
            yield _secret(reading, start, end, 0.97, "format")
    for match in (match for span in reading.long for match in _BOT_TOKEN.finditer(text, *span)):
        yield _secret(reading, *match.span(), 0.95, "format")


def _secret(reading: Reading, start: int, end: int, probability: float, reason: str) -> Candidate:
    return Candidate(start, end, "credential", probability, reading.text[start:end], reason)


def _private_keys(reading: Reading) -> Iterator[Candidate]:
    text, done = reading.text, 0
    for begin in _BEGIN.finditer(text):
        if begin.start() < done:
            continue
        end = _END.search(text, begin.end(), begin.end() + _LONGEST_KEY)
        done = end.end() if end else _last_sign(text, begin)
        yield _secret(reading, begin.start(), done, 0.99, "format")


def _last_sign(text: str, begin: re.Match[str]) -> int:
    body = _BODY.match(text, begin.end(), begin.end() + _LONGEST_KEY)
    return begin.end() + len(body[0].rstrip()) if body else begin.end()


def _bearers(reading: Reading) -> Iterator[Candidate]:
    for match in _BEARER.finditer(reading.text):
        if any(char.isdigit() for char in match[1]):
            yield _secret(reading, match.start(1), match.end(1), 0.9, "context")


def _userinfo(reading: Reading) -> Iterator[Candidate]:
    for match in _USERINFO.finditer(reading.text):
        yield _secret(reading, match.start(1), match.end(1), 0.85, "context")


def _told(reading: Reading) -> Iterator[Candidate]:
    for word in _PASSWORDS:
        if word not in reading.vocabulary and not (not word.isascii() and word in reading.lower):
            continue
        for at in reading.occurrences(word):
            match = _TOLD.match(reading.text, at + len(word))
            if match is None:
                continue
            group = "given" if match["given"] else "said"
            start = match.start(group)
            value = match[group].rstrip(".,!?;:)")
            quoted = bool(match["quote"] or match["quote2"])
            probability = _password_worth(value, quoted=quoted, signed=group == "given", short=len(word) <= 5)
            if probability:
                yield _secret(reading, start, start + len(value), probability, "context")


def _password_worth(value: str, *, quoted: bool, signed: bool, short: bool) -> float:
    if len(value) < 4 or _NO_PASSWORD.fullmatch(value) or "://" in value:
        return 0.0
    mixed = any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    odd = any(char in "!@#$%^&*_+=?~" for char in value[1:])
    if mixed or odd:
        return 0.9
    if quoted or value.isdigit():
        return 0.75
    if signed:
        return 0.45 if short else 0.65
    return 0.3 if short else 0.4


def _assigned(reading: Reading) -> Iterator[Candidate]:
    for word in _SECRETS:
        if word not in reading.vocabulary:
            continue
        for at in reading.occurrences(word):
            match = _ASSIGNED.match(reading.text, at + len(word))
            if (
                match
                and any(c.isdigit() for c in match[1])
                and any(c.isalpha() for c in match[1])
                and "://" not in match[1]
            ):
                yield _secret(reading, match.start(1), match.end(1), 0.8, "context")


_SECRET_CUES = cues(" ".join(_SECRETS))
_PASSWORD_CUES = cues(" ".join(w if w.isascii() else f"{w}*" for w in _PASSWORDS))

DETECTORS = (
    Detector(("credential",), lambda reading: bool(reading.long), _shaped, least_digits=1),
    Detector(("credential",), lambda reading: "-----BEGIN " in reading.text, _private_keys, frozenset({"private"})),
    Detector(
        ("credential",),
        lambda reading: not reading.vocabulary.isdisjoint({"bearer", "basic"}),
        _bearers,
        frozenset({"bearer"}),
    ),
    Detector(("credential",), lambda reading: reading.has_at and "://" in reading.text, _userinfo),
    Detector(("credential",), lambda reading: reading.heard(_PASSWORD_CUES), _told, frozenset(_PASSWORDS) - {"pass"}),
    Detector(("credential",), lambda reading: reading.heard(_SECRET_CUES), _assigned, least_digits=1),
)
