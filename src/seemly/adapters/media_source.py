"""From what a caller holds of an image, a video or a sound to a file that can be read."""

from __future__ import annotations

import base64
import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote_to_bytes

from seemly.core.errors import DecodeError
from seemly.media.decoding import Capture

__all__ = ["open_source", "read_source"]

_ADDRESS = re.compile(r"data:|[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_FETCHED = ("http://", "https://")
_ACCEPTED = "content must be given as bytes, a path, a binary file object, or a data:, http: or https: URL"
_UNREADABLE = "the file object cannot be read, or gives no bytes"
_CHUNK = 1 << 20


def read_source(source: object, capture: Capture, max_bytes: int) -> bytes:
    """The bytes of a source, whole. Raises what `open_source` raises."""
    with open_source(source, capture, max_bytes) as file:
        return _drain(file, max_bytes)


@contextmanager
def open_source(source: object, capture: Capture, max_bytes: int) -> Iterator[BinaryIO]:
    """A source as a binary file that can seek and holds at most `max_bytes`, open as long as the context is.

    A source is bytes (also a bytearray or memoryview), a path, a binary file object, which is read from its beginning
    and stays open, or a URL, as a str: `data:` with base64, or http(s), which is fetched through `capture`. A path's
    file, and a file object that can seek, are not read here.

    Raises DecodeError, whose message holds nothing of the source, for any other, one that cannot be read, and one that
    holds more; FetchError, and whatever else the fetcher raises, where a URL was not to be had.
    """
    if isinstance(source, str) and _ADDRESS.match(source):
        yield io.BytesIO(_read_address(source, capture, max_bytes))
    elif isinstance(source, bytes | bytearray | memoryview):
        _check(memoryview(source).nbytes, max_bytes)
        yield io.BytesIO(bytes(source))
    elif isinstance(source, str | os.PathLike):
        with _open_path(source) as file:
            _check(os.fstat(file.fileno()).st_size, max_bytes)
            yield file
    elif hasattr(source, "read"):
        yield _rewind(source, max_bytes)
    else:
        raise DecodeError(_ACCEPTED)


def _read_address(address: str, capture: Capture, max_bytes: int) -> bytes:
    if address.lower().startswith(_FETCHED):
        found = capture.get(address, max_bytes)
    elif address[:5].lower() == "data:":
        found = _read_data(address)
    else:
        raise DecodeError("only http:, https: and data: URLs are read")
    _check(len(found), max_bytes)
    return found


def _read_data(address: str) -> bytes:
    head, _, body = address.partition(",")
    if not head.lower().endswith(";base64"):
        raise DecodeError("a data: URL must be in base64")
    try:
        packed = b"".join(unquote_to_bytes(body).split())
        # Browsers take base64 without its padding, too.
        return base64.b64decode(packed.rstrip(b"=") + b"=" * (-len(packed.rstrip(b"=")) % 4), validate=True)
    except ValueError as error:
        raise DecodeError("the base64 of the data: URL is damaged") from error


def _open_path(source: str | os.PathLike[Any]) -> BinaryIO:
    try:
        path = Path(os.fsdecode(source))
        # Opening a pipe would wait for its other end, and a device has none.
        file = path.open("rb") if path.is_file() else None
    except (OSError, ValueError):
        # Their messages name the path.
        raise DecodeError("the file under the path of the content cannot be read") from None
    if file is None:
        raise DecodeError("there is no file under the path of the content")
    return file


def _rewind(file: Any, max_bytes: int) -> BinaryIO:
    """A caller's file object at its beginning; what it holds, where it cannot seek."""
    if isinstance(file, io.TextIOBase):
        raise DecodeError("the file object was opened as text: open it as binary")
    size = None
    try:
        if hasattr(file, "seekable") and file.seekable():
            file.seek(0, os.SEEK_END)
            size = file.tell()
            file.seek(0)
    except (OSError, ValueError):
        # Their messages may name the file.
        raise DecodeError(_UNREADABLE) from None
    if size is None:
        return io.BytesIO(_drain(file, max_bytes))
    _check(size, max_bytes)
    found: BinaryIO = file
    return found


def _drain(file: BinaryIO, max_bytes: int) -> bytes:
    """All that a file holds from where it stands."""
    chunks = []
    size = 0
    while chunk := _read_chunk(file):
        size += len(chunk)
        _check(size, max_bytes)
        chunks.append(chunk)
    return b"".join(chunks)


def _read_chunk(file: BinaryIO) -> bytes:
    try:
        chunk = file.read(_CHUNK)
    except (OSError, ValueError):
        raise DecodeError(_UNREADABLE) from None
    if not isinstance(chunk, bytes):
        raise DecodeError(_UNREADABLE)
    return chunk


def _check(size: int, max_bytes: int) -> None:
    if size > max_bytes:
        raise DecodeError(f"the content has more than {max_bytes:,} bytes")
