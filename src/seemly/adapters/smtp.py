"""Sending e-mail through an SMTP server."""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Literal
from urllib.parse import unquote, urlsplit

from seemly.core.errors import ConfigError
from seemly.service.webhooks.delivery import Mail

__all__ = ["SmtpMailer"]


Security = Literal["starttls", "tls", "none"]

_SECURITY: Mapping[str, tuple[Security, int]] = {
    "smtp": ("starttls", 587),
    "smtps": ("tls", 465),
    "plain": ("none", 25),
}
"""How the connection of a URL is encrypted, and its usual port."""

_FORMS = "mail goes through smtp://user:password@host:587, smtps://user:password@host:465, or host:port without login"


@dataclass(frozen=True, slots=True)
class SmtpMailer:
    """Hands mail to the SMTP server at `host` and `port`, from the address `sender`.

    `security` is how the connection is encrypted: `starttls` (the usual at port 587), `tls` (at port 465), or `none`,
    for a server on the same machine. It logs in where a `user` is given. `timeout` is the longest wait for any one
    answer of the server, in seconds. Each mail is a connection of its own, so it is safe to call from several threads.
    """

    host: str
    port: int
    sender: str
    user: str | None = None
    password: str = field(default="", repr=False)
    security: Security = "starttls"
    timeout: float = 10.0
    context: ssl.SSLContext = field(default_factory=ssl.create_default_context, repr=False)

    @classmethod
    def from_address(cls, address: str, sender: str, password: str = "") -> SmtpMailer:
        """The mailer of a URL: `smtp://user:password@host:587` encrypts by STARTTLS, `smtps://…` from the start, and
        `host:port` alone, for a server on the same machine, not at all. `password` stands in where the URL has none.

        Raises ConfigError, which says nothing of the address, for one that is no such URL.
        """
        try:
            parts = urlsplit(address if "://" in address else f"plain://{address}")
            security, usual = _SECURITY[parts.scheme]
            port = parts.port or usual
        except (KeyError, ValueError):
            raise ConfigError(_FORMS) from None
        # A password is not sent in the clear.
        if not parts.hostname or (security == "none" and parts.username is not None):
            raise ConfigError(_FORMS)
        user = None if parts.username is None else unquote(parts.username)
        return cls(parts.hostname, port, sender, user, unquote(parts.password or "") or password, security)

    def send(self, mail: Mail) -> None:
        """Hand a mail over.

        Raises OSError (every smtplib.SMTPException is one) where the server is not to be had, offers no encryption
        though it must, or refuses the mail for every address; ValueError for an address or subject with a line break.
        """
        message = self._write(mail)
        with self._connect() as server:
            if self.security == "starttls":
                server.starttls(context=self.context)
            if self.user is not None:
                server.login(self.user, self.password)
            server.send_message(message, self.sender, mail.to)

    def _connect(self) -> smtplib.SMTP:
        if self.security == "tls":
            return smtplib.SMTP_SSL(self.host, self.port, timeout=self.timeout, context=self.context)
        return smtplib.SMTP(self.host, self.port, timeout=self.timeout)

    def _write(self, mail: Mail) -> EmailMessage:
        message = EmailMessage()
        message["From"] = self.sender
        message["To"] = ", ".join(mail.to)
        message["Subject"] = mail.subject
        message["Date"] = formatdate()
        # Without a domain the name of this machine would be looked up, and told.
        message["Message-ID"] = make_msgid(domain=self.sender.rpartition("@")[2])
        # Keeps out-of-office replies from answering (RFC 3834).
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(mail.text)
        return message
