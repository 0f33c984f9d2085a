"""Cryptocurrency addresses, by their own checksums where they have one."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from seemly.policies.pii.keccak import keccak256
from seemly.policies.pii.search_text import Candidate, Detector, cues, weigh

if TYPE_CHECKING:
    from collections.abc import Iterator

    from seemly.policies.pii.search_text import Reading

__all__ = ["DETECTORS"]

_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:0x[0-9A-Fa-f]{40}|(?:bc1|BC1|tb1|ltc1)[0-9A-Za-z]{8,87}|"
    r"[13LMDArTX9t][1-9A-HJ-NP-Za-km-z]{24,34}"
    r"|[48][1-9A-HJ-NP-Za-km-z]{94})(?![A-Za-z0-9])"
)
_CUES = cues(
    "wallet wallets btc bitcoin eth ethereum erc20 usdt usdc crypto coin coins token donate donation send "
    "address ltc litecoin "
    "doge dogecoin xrp ripple trx tron xmr monero bnb metamask кошел* 钱包* 錢包*"
)
_BITCOIN_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_RIPPLE_ALPHABET = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
_VERSIONS = frozenset({0x00, 0x05, 0x30, 0x32, 0x1E, 0x16, 0x41, 0x4C, 0x10, 0x6F})
"""Version bytes: Bitcoin, Litecoin, Dogecoin, Tron and Dash, of their chain parameters."""

_BECH32_ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_BECH32_CONSTANTS = (1, 0x2BC830A3)
_GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)


def _wallets(reading: Reading) -> Iterator[Candidate]:
    for match in (match for span in reading.long for match in _TOKEN.finditer(reading.text, *span)):
        address = match[0]
        up = reading.near(_CUES, *match.span())
        base, canonical = _worth(address), address
        if address.startswith("0x"):
            canonical = address.lower()
        if base or (up and len(address) == 95):
            yield Candidate(
                *match.span(),
                "crypto_wallet",
                weigh(base or 0.5, up=up),
                canonical,
                "checksum" if base >= 0.8 else "format",
            )


def _worth(address: str) -> float:
    if address.startswith("0x"):
        return _ethereum(address[2:])
    if address[:3].lower() in ("bc1", "tb1", "ltc") and _bech32(address):
        return 0.95
    if len(address) == 95:
        return 0.7
    alphabet = _RIPPLE_ALPHABET if address[0] == "r" else _BITCOIN_ALPHABET
    versions = frozenset({0}) if address[0] == "r" else _VERSIONS
    return 0.95 if _base58check(address, alphabet, versions) else 0.0


def _ethereum(signs: str) -> float:
    """ERC-55 where the case is mixed; one case says nothing, so it needs words around it."""
    if signs.islower() or signs.isupper() or signs.isdigit():
        return 0.45 if len(set(signs)) > 4 else 0.1
    digest = keccak256(signs.lower().encode()).hex()
    fits = all(c.isdigit() or c.isupper() == (int(digest[i], 16) > 7) for i, c in enumerate(signs))
    return 0.95 if fits else 0.3


def _base58check(address: str, alphabet: str, versions: frozenset[int]) -> bool:
    if not set(address) <= set(alphabet):
        return False
    value = 0
    for char in address:
        value = value * 58 + alphabet.index(char)
    if value >= 1 << 200:
        return False
    data = value.to_bytes(25, "big")
    digest = hashlib.sha256(hashlib.sha256(data[:-4]).digest()).digest()
    return data[0] in versions and digest[:4] == data[-4:]


def _bech32(address: str) -> bool:
    """BIP 173 and BIP 350."""
    lowered = address.lower()
    if address not in (lowered, address.upper()):
        return False
    prefix, _, data = lowered.rpartition("1")
    if len(data) < 7 or any(char not in _BECH32_ALPHABET for char in data):
        return False
    values = (
        [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix] + [_BECH32_ALPHABET.index(c) for c in data]
    )
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for bit, term in enumerate(_GENERATOR):
            if top >> bit & 1:
                check ^= term
    return check in _BECH32_CONSTANTS


DETECTORS = (Detector(("crypto_wallet",), lambda reading: bool(reading.long), _wallets, least_digits=1),)
