"""Passwords hashed by Argon2id, with the parameters that RFC 9106 recommends where memory is scarce."""

from __future__ import annotations

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

__all__ = ["Argon2Hasher"]


class Argon2Hasher:
    """Hashes passwords so that guessing them is slow. Safe to share between threads."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher()
        # Of nobody's password: to compare with it takes as long as with a member's.
        self._nobodys = self._hasher.hash("")

    def hash(self, password: str) -> str:
        """A hash with all that it takes to check it."""
        return self._hasher.hash(password)

    def verify(self, hashed: str | None, password: str) -> bool:
        """Whether the hash is that of a password. None is nobody's, which takes as long to find out."""
        try:
            return self._hasher.verify(hashed or self._nobodys, password) and hashed is not None
        except (Argon2Error, InvalidHashError):
            return False
