"""Sending e-mail to a real server on loopback."""

from __future__ import annotations

import base64
import email
import email.policy
import smtplib
import socketserver
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path

import pytest

from seemly.adapters.smtp import SmtpMailer
from seemly.core.errors import ConfigError
from seemly.service.webhooks.delivery import Mail

MAIL = Mail(("owner@acme.example", "admin@acme.example"), "A webhook failed", 'The webhook "Zoë 🦊"\n.\n\nevt_1\n')

LOCALHOST = Path(__file__).parents[1] / "support" / "localhost.pem"
"""A certificate for `localhost`, which has signed itself, and its key: nobody trusts it but who is told to."""


@dataclass
class Post:
    """Where the server is, how it behaves, and what it was told, in the clear and in all."""

    port: int = 0
    security: str = "none"
    hang: bool = False
    refused: str = ""
    clear: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    messages: list[EmailMessage] = field(default_factory=list)


class Talk(socketserver.StreamRequestHandler):
    post: Post

    def handle(self) -> None:
        with suppress(OSError):
            if self.post.security == "tls":
                self.encrypt()
            self.talk()

    def finish(self) -> None:
        super().finish()
        self.connection.close()

    def encrypt(self) -> None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(LOCALHOST)
        self.connection = context.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)

    def talk(self) -> None:
        if self.post.hang:
            time.sleep(1.0)
            return
        self.say("220 here")
        while line := self.rfile.readline().decode(errors="replace").strip():
            encrypted = isinstance(self.connection, ssl.SSLSocket)
            verb = line.split()[0].upper()
            self.post.lines.append(line)
            if not encrypted:
                self.post.clear.append(verb)
            if verb == "EHLO":
                offered = ["250-STARTTLS"] if self.post.security == "starttls" and not encrypted else []
                self.say("250-here", *offered, "250 AUTH PLAIN")
            elif verb == "STARTTLS":
                self.say("220 go on")
                self.encrypt()
            elif verb == "AUTH":
                self.say("235 come in")
            elif verb == "RCPT" and self.post.refused and self.post.refused in line:
                self.say("550 nobody")
            elif verb == "DATA":
                self.say("354 go on")
                self.post.messages.append(self.read())
                self.say("250 taken")
            elif verb == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 fine")

    def say(self, *lines: str) -> None:
        self.wfile.write("".join(f"{line}\r\n" for line in lines).encode())

    def read(self) -> EmailMessage:
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line.removeprefix(b"."))
        return email.message_from_bytes(b"".join(lines), policy=email.policy.default)


@pytest.fixture
def post() -> Iterator[Post]:
    found = Post()
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), type("Talk", (Talk,), {"post": found}))
    server.daemon_threads = True
    found.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield found
    server.shutdown()
    server.server_close()


def open_mailer(post: Post, **more: object) -> SmtpMailer:
    return SmtpMailer(
        **{"host": "127.0.0.1", "port": post.port, "sender": "seemly@acme.example", "security": "none", **more}
    )


def test_a_mail_arrives_as_it_was_written(post: Post) -> None:
    open_mailer(post).send(MAIL)
    [message] = post.messages
    assert message["From"] == "seemly@acme.example"
    assert message["To"] == "owner@acme.example, admin@acme.example"
    assert message["Subject"] == "A webhook failed"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Message-ID"].endswith("@acme.example>")
    assert message["Date"]
    assert message.get_content().replace("\r\n", "\n") == MAIL.text
    assert [line for line in post.lines if line.startswith(("mail", "rcpt", "MAIL", "RCPT"))] == [
        "mail FROM:<seemly@acme.example>",
        "rcpt TO:<owner@acme.example>",
        "rcpt TO:<admin@acme.example>",
    ]


def test_it_logs_in_where_it_has_a_user(post: Post) -> None:
    mailer = open_mailer(post, user="bot", password="hunter2")
    mailer.send(MAIL)
    assert "AUTH PLAIN " + base64.b64encode(b"\0bot\0hunter2").decode() in post.lines
    assert "hunter2" not in repr(mailer)


def test_one_address_that_is_refused_does_not_cost_the_other(post: Post) -> None:
    post.refused = "owner@"
    open_mailer(post).send(MAIL)
    assert len(post.messages) == 1
    post.refused = "@acme.example>"
    with pytest.raises(smtplib.SMTPRecipientsRefused):
        open_mailer(post).send(MAIL)


def test_nothing_is_sent_in_the_clear_unless_asked_for(post: Post) -> None:
    with pytest.raises(smtplib.SMTPNotSupportedError):
        open_mailer(post, security="starttls").send(MAIL)
    with pytest.raises(ssl.SSLError):
        open_mailer(post, security="tls", timeout=0.5).send(MAIL)
    assert post.messages == []


def trust_localhost() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(LOCALHOST))


@pytest.mark.parametrize(("security", "clear"), [("starttls", ["EHLO", "STARTTLS"]), ("tls", [])])
def test_login_and_mail_are_encrypted(post: Post, security: str, clear: list[str]) -> None:
    post.security = security
    told = {"security": security, "user": "bot", "password": "hunter2"}
    open_mailer(post, host="localhost", context=trust_localhost(), **told).send(MAIL)
    assert [message["Subject"] for message in post.messages] == [MAIL.subject]
    assert post.clear == clear
    assert "AUTH PLAIN " + base64.b64encode(b"\0bot\0hunter2").decode() in post.lines


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_certificate_that_is_not_trusted_or_anothers_is_refused(post: Post, security: str) -> None:
    post.security = security
    told = {"security": security, "user": "bot", "password": "hunter2"}
    with pytest.raises(ssl.SSLCertVerificationError, match=r"self.signed"):
        open_mailer(post, host="localhost", **told).send(MAIL)
    with pytest.raises(ssl.SSLCertVerificationError, match="IP address mismatch"):
        open_mailer(post, host="127.0.0.1", context=trust_localhost(), **told).send(MAIL)
    assert post.messages == []
    assert {line.split()[0].upper() for line in post.lines} <= {"EHLO", "STARTTLS"}


def test_a_server_that_hangs_is_left(post: Post) -> None:
    post.hang = True
    began = time.monotonic()
    with pytest.raises(smtplib.SMTPServerDisconnected):
        open_mailer(post, timeout=0.2).send(MAIL)
    assert time.monotonic() - began < 0.9


@pytest.mark.parametrize(
    "mail", [Mail(("a@b.example\nBcc: c@d.example",), "x", "x"), Mail(("a@b.example",), "x\ny", "x")]
)
def test_lines_are_not_smuggled_into_the_head(post: Post, mail: Mail) -> None:
    with pytest.raises(ValueError, match=r"linefeed|newline|carriage"):
        open_mailer(post).send(mail)
    assert post.messages == []


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("127.0.0.1:2525", ("127.0.0.1", 2525, None, "", "none")),
        ("localhost", ("localhost", 25, None, "", "none")),
        ("smtp://mail.example", ("mail.example", 587, None, "", "starttls")),
        ("smtp://bot:p%40ss@mail.example:2587", ("mail.example", 2587, "bot", "p@ss", "starttls")),
        ("smtps://bot%40acme.example@mail.example", ("mail.example", 465, "bot@acme.example", "hunter2", "tls")),
    ],
)
def test_it_is_told_by_an_address(address: str, expected: tuple[object, ...]) -> None:
    password = "hunter2" if "bot%40" in address else ""
    made = SmtpMailer.from_address(address, "seemly@acme.example", password)
    assert (made.host, made.port, made.user, made.password, made.security) == expected
    assert made.sender == "seemly@acme.example"


@pytest.mark.parametrize(
    "address", ["", "http://hunter2@a", "smtp://", "smtp://hunter2@a:b", "bot:hunter2@a:25", "smtp://[a"]
)
def test_an_address_that_is_none_is_refused_without_a_word_of_it(address: str) -> None:
    with pytest.raises(ConfigError) as caught:
        SmtpMailer.from_address(address, "seemly@acme.example")
    assert "hunter2" not in str(caught.value)
