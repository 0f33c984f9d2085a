"""Where the addresses in a text are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from seemly.policies.url.bare_domains import cased_as_host, may_precede_path, stands_alone, usual
from seemly.policies.url.host import Host, read_host
from seemly.policies.url.tail import tail_end

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Form", "Found", "find"]

Form = Literal["scheme", "www", "path", "bare"]

_SPACED = (
    r"0-9A-Za-z_\-\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u037d\u037f-\u0386\u0388-\u0558\u0560-\u0588\u0591-\u05bd"
    r"\u05bf-\u05ff\u0610-\u061a\u0620-\u06d3\u06d5-\u06dc\u06df-\u06ff\u0710-\u088f\u0898-\u08e1\u08e3-\u0963\u0966-\u0dff"
    r"\u10a0-\u10ff\u13a0-\u13fd\u1d00-\u1fff"
    r"\u2c60-\u2dff\ua640-\ua7ff"
)
_UNSPACED = (
    r"\u0e01-\u0e5b\u0e80-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3041-\u30fa\u30fc-\u30ff"
    r"\u3130-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)
# A label keeps to one kind of script, so that a sentence without spaces lets go of the address inside it.
_LABEL = re.compile(rf"[{_SPACED}]{{1,64}}|[{_UNSPACED}]{{1,64}}")
_HOST = re.compile(
    rf"(?:(?:[{_SPACED}]{{1,63}}|[{_UNSPACED}]{{1,63}})\.){{1,126}}(?:[{_SPACED}]{{1,63}}|[{_UNSPACED}]{{1,63}})"
)
_ANY_HOST = re.compile(
    rf"(?:[{_SPACED}{_UNSPACED}]{{1,63}}\.){{0,126}}[{_SPACED}{_UNSPACED}]{{1,63}}|\[[0-9A-Fa-f:.]{{2,45}}\]"
)
_ASCII_HEAD = re.compile(r"[0-9A-Za-z_\-]+")
_DOT = re.compile(r"\.\w")
_PORT = re.compile(r":([0-9]{1,5})(?![0-9]|\.[0-9])")
_USERINFO = re.compile(r"[^\s/?#\\<>\"@]{1,1024}@")
_MAIL_LEAD = re.compile(r"(?i)(?:[\[({<]\s?(?:at|@)\s?[\])}>]{1,2}|\w\s?@)\s{0,2}\Z")
_MAIL_REST = re.compile(r"[\w.+%\-]{0,64}@")
_WEB = re.compile(r"(?i)(?:https?|ftps?|sftp|wss?|rtmps?|gopher|git|ssh|irc|ircs|svn|feed|rtsp|telnet|ldaps?|hxxps?)\Z")
_APP = re.compile(
    r"(?i)(?:tg|discord|steam|market|intent|itms-apps|itms|whatsapp|viber|skype|zoommtg|slack|spotify|ipfs|ipns|vscode|"
    r"roblox|fb|instagram|twitter|snapchat|weixin|alipays?|line|ms-settings|ed2k|thunder|smb|magnet)\Z"
)
_APP_REST = re.compile(r"[0-9A-Za-z_\-.~%]{1,64}[0-9A-Za-z_]")
_LONGEST_SCHEME = 12


@dataclass(frozen=True, slots=True)
class Found:
    """An address at `start:end` of the text that was searched.

    `host` is None for an application's own scheme (`tg://resolve`). `port` is None where none is written.
    `rest` is the path, query and fragment. `form` is what gave it away: a scheme, `www.`, a path or port behind a
    host, or nothing but the host. `certain` is False for a bare host that only its surroundings speak for.
    """

    start: int
    end: int
    form: Form
    scheme: str
    host: Host | None
    port: int | None = None
    credentials: bool = False
    rest: str = ""
    certain: bool = True


def find(text: str, language: str | None = None) -> list[Found]:
    """The addresses in `text`, in order, none inside another.

    `language` is the text's ISO 639-1 code where it is known: an ending such as `.it` or `.no` is then read as a
    domain of that language's country. Linear in the length of the text.
    """
    found = list(_with_scheme(text)) if "://" in text else []
    if "." in text and _DOT.search(text):
        found += _without_scheme(text, found, language)
        found.sort(key=lambda one: one.start)
    return found


def _with_scheme(text: str) -> Iterator[Found]:
    done = 0
    at = text.find("://")
    while at >= 0:
        one = _read_scheme(text, at, done)
        if one is not None:
            yield one
            done = one.end
        at = text.find("://", max(at + 3, done))


def _read_scheme(text: str, at: int, floor: int) -> Found | None:
    before = text[max(floor, at - _LONGEST_SCHEME) : at]
    if not before[-1:].isalnum():
        return None
    scheme = _WEB.search(before)
    app = None if scheme else _APP.search(before)
    known = scheme or app
    if known is None:
        return None
    start = at - len(known.group())
    name = known.group().lower()
    if app and start > floor and (text[start - 1].isalnum() or text[start - 1] in "-+."):
        return None
    here = at + 3
    while user := _USERINFO.match(text, here):
        here = user.end()
    credentials = here > at + 3
    if app:
        rest = _APP_REST.match(text, here)
        if rest is None:
            return None
        end = tail_end(text, rest.end())
        return Found(start, end, "scheme", name, None, rest=text[rest.end() : end])
    match = _ANY_HOST.match(text, here)
    if match is None or text.startswith("://", match.end()) or _LABEL.match(text, match.end()):
        return None
    host, end = _scheme_host(match.group(), here)
    if host is None:
        return None
    port, end = _port(text, end)
    if text.startswith((".?", "./", ".#"), end):
        end += 1
    stop = tail_end(text, end)
    return Found(start, stop, "scheme", name, host, port, credentials, text[end:stop])


def _scheme_host(written: str, start: int) -> tuple[Host | None, int]:
    """The host behind a scheme, which may lie under no known suffix (`http://intranet/`)."""
    written = written.rstrip("-_")
    host = read_host(written)
    if host is not None and not host.ip and not host.suffix:
        head, dot, last = written.rpartition(".")
        ascii_head = _ASCII_HEAD.match(last)
        if ascii_head is not None and ascii_head.end() < len(last):
            written = head + dot + ascii_head.group()
            host = read_host(written)
    return host, start + len(written)


def _without_scheme(text: str, taken: list[Found], language: str | None) -> Iterator[Found]:
    spans = iter([(one.start, one.end) for one in taken])
    busy = next(spans, None)
    done = 0
    hit = _DOT.search(text)
    while hit is not None:
        dot = hit.start()
        while busy is not None and busy[1] <= dot:
            done = max(done, busy[1])
            busy = next(spans, None)
        if busy is not None and dot >= busy[0]:
            done = busy[1]
        else:
            one, done = _read_bare(text, dot, done, language)
            if one is not None:
                yield one
        hit = _DOT.search(text, max(done, dot + 1))


def _read_bare(text: str, dot: int, floor: int, language: str | None) -> tuple[Found | None, int]:
    """The address whose first full stop is at `dot`, and where to go on."""
    back = _LABEL.match(text[max(floor, dot - 64) : dot][::-1])
    if back is None or back.end() > 63:
        return None, dot + 1
    run = _HOST.match(text, dot - back.end())
    if run is None:
        return None, dot + 1
    start, end = run.span()
    before = text[start - 1 : start]
    if (
        before == "@"
        or _MAIL_LEAD.search(text[max(0, start - 9) : start])
        or (before in ("+", "%", "!") and _MAIL_REST.match(text, start))
    ):
        return None, end
    mail = _MAIL_REST.match(text, end)
    if mail is not None:
        return None, _past_host(text, mail.end())
    return _judge(text, start, end, language)


def _judge(text: str, start: int, stop: int, language: str | None) -> tuple[Found | None, int]:
    """The address that begins with the run of labels at `start:stop`, and where to go on."""
    while start < stop and not text[start].isalnum():
        start += 1
    host, end = _suffixed(text[start:stop], start)
    if host is None or text[start - 1 : start] == "$":
        return None, stop
    port, after = _port(text, end)
    tail = tail_end(text, after)
    rest = text[after:tail]
    if text[start : start + 4].lower() == "www." and host.name != "www":
        return Found(start, tail, "www", "", host, port, rest=rest), max(stop, tail)
    if host.ip:
        worth = (rest[:1] == "/" and not rest[1:].isdigit()) or port is not None
        return (Found(start, tail, "path", "", host, port, rest=rest) if worth else None), max(stop, tail)
    if text[start - 1 : start] in ("/", "\\") and not (usual(host) and text[start - 2 : start - 1] != "."):
        return None, stop
    if (port is not None or rest[:1] == "/" or (rest[:1] == "?" and "=" in rest)) and may_precede_path(host):
        return Found(start, tail, "path", "", host, port, rest=rest), max(stop, tail)
    if text.startswith("(", end) and (text.startswith("()", end) or not usual(host)):
        return None, stop
    certain = stands_alone(host, text, start, end, language)
    if certain is None:
        return None, stop
    return Found(start, end, "bare", "", host, certain=certain), max(stop, end)


def _suffixed(written: str, start: int) -> tuple[Host | None, int]:
    """The host at the head of a run of labels. `example.com.Then` ends before the capital that begins a sentence."""
    while True:
        written = written.rstrip("-_.")
        if "." not in written:
            return None, start
        if cased_as_host(written):
            host = read_host(written)
            if host is not None and (host.registrable or (host.ip and written.count(".") == 3)):
                return host, start + len(written)
        head, _, last = written.rpartition(".")
        if not last[:1].isupper():
            return None, start
        written = head


def _port(text: str, end: int) -> tuple[int | None, int]:
    port = _PORT.match(text, end)
    if port is None or int(port.group(1)) > 65535:
        return None, end
    return int(port.group(1)), port.end()


def _past_host(text: str, start: int) -> int:
    host = _ANY_HOST.match(text, start)
    return start if host is None else host.end()
