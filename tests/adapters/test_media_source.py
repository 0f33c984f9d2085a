"""From what a caller holds of media to a file that can be read, within its limit and without a word of its content."""

from __future__ import annotations

import base64
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from seemly.adapters.media_source import open_source, read_source
from seemly.core.errors import DecodeError, FetchError
from seemly.media.decoding import Capture

DATA = bytes(range(256)) * 4
BASE64 = base64.b64encode(DATA).decode()
SECRET = "secret-name"


class Stream(io.RawIOBase):
    """A binary file that cannot seek, and gives a little at a time."""

    def __init__(self, data: bytes) -> None:
        self.inner = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self.inner.readinto(memoryview(buffer)[:100])


class Reader:
    """A binary file of which nothing is known but that it can be read."""

    def __init__(self, *chunks: object) -> None:
        self.chunks = list(chunks)

    def read(self, size: int = -1) -> object:
        return self.chunks.pop(0) if self.chunks else b""


def spooled() -> Any:
    file = tempfile.SpooledTemporaryFile()  # noqa: SIM115  (the test reads it)
    file.write(DATA)
    return file


SOURCES = {
    "bytes": DATA,
    "bytearray": bytearray(DATA),
    "memoryview": memoryview(DATA),
    "memoryview of words": memoryview(DATA).cast("I"),
    "file at its end": io.BytesIO(DATA),
    "spooled file": spooled(),
    "file that cannot seek": Stream(DATA),
    "file that can but be read": Reader(DATA[:500], DATA[500:]),
    "data URL": f"data:video/mp4;base64,{BASE64}",
    "data URL without a type": f"data:;base64,{BASE64}",
    "data URL in capitals": f"DATA:video/mp4;BASE64,{BASE64}",
    "data URL, escaped": f"data:;base64,{BASE64.replace('+', '%2B').replace('/', '%2F').replace('=', '%3d')}",
    "data URL, in lines": f"data:;base64,{BASE64[:100]}\r\n{BASE64[100:]}",
    "data URL without padding": f"data:;base64,{BASE64.rstrip('=')}",
    "URL": "https://example.com/video.mp4",
    "URL in capitals": "HTTPS://example.com/video.mp4",
}
SOURCES["file at its end"].seek(0, os.SEEK_END)


def capture(data: bytes = DATA) -> Capture:
    return Capture(fetch=lambda _url, _limit: data)


@pytest.mark.parametrize("source", [pytest.param(source, id=name) for name, source in SOURCES.items()])
def test_every_source_is_read(source: object) -> None:
    assert read_source(source, capture(), len(DATA)) == DATA


@pytest.mark.parametrize("kind", [Path, str])
def test_a_path_is_read(tmp_path: Path, kind: type) -> None:
    path = tmp_path / "dáta: x.mp4"
    path.write_bytes(DATA)
    assert read_source(kind(path), Capture(), len(DATA)) == DATA
    with open_source(str(path), Capture(), len(DATA)) as file:
        assert file.seek(0, os.SEEK_END) == len(DATA)
    assert file.closed


def test_a_callers_file_stays_open_and_unread() -> None:
    given = io.BytesIO(DATA)
    with open_source(given, Capture(), len(DATA)) as file:
        assert file is given
        assert file.tell() == 0
    assert not given.closed


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(source, id=name)
        for name, source in {
            **SOURCES,
            "file that cannot seek": Stream(DATA),
            "file that can but be read": Reader(*[DATA] * 100),
        }.items()
    ],
)
def test_a_source_that_is_too_large_is_refused(source: object) -> None:
    with pytest.raises(DecodeError, match="more than 1,023 bytes"):
        read_source(source, capture(), len(DATA) - 1)


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(DecodeError, match="more than 1,000 bytes"):
        read_source(path, Capture(), 1_000)


def test_a_url_is_fetched_within_the_limit() -> None:
    asked = []

    def fetch(url: str, limit: int | None) -> bytes:
        asked.append((url, limit))
        return DATA

    read_source("http://example.com/a b", Capture(fetch=fetch), 5_000)
    assert asked == [("http://example.com/a b", 5_000)]


def test_without_a_fetcher_no_url_is_read() -> None:
    with pytest.raises(FetchError, match="no fetcher"):
        read_source("https://example.com/", Capture(), 5_000)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        pytest.param(None, "must be given as bytes, a path", id="nothing"),
        pytest.param(42, "must be given as bytes, a path", id="number"),
        pytest.param([DATA], "must be given as bytes, a path", id="list"),
        pytest.param(f"file:///etc/{SECRET}", "only http:, https: and data: URLs", id="file URL"),
        pytest.param(f"ftp://example.com/{SECRET}", "only http:, https: and data: URLs", id="ftp URL"),
        pytest.param(f"rtmp://example.com/{SECRET}", "only http:, https: and data: URLs", id="rtmp URL"),
        pytest.param(f"concat://{SECRET}", "only http:, https: and data: URLs", id="concat URL"),
        pytest.param(f"concat:{SECRET}|{SECRET}", "no file under the path", id="libav's concat"),
        pytest.param(f"subfile,,start,0,end,9,,:{SECRET}", "no file under the path", id="libav's subfile"),
        pytest.param("pipe:0", "no file under the path", id="libav's pipe"),
        pytest.param(f"data:text/plain,{SECRET}", "must be in base64", id="data URL, plain"),
        pytest.param(f"data:{SECRET}", "must be in base64", id="data URL without data"),
        pytest.param(f"data:;base64,{SECRET}!", "base64 of the data: URL is damaged", id="no base64"),
        pytest.param("data:;base64,A", "base64 of the data: URL is damaged", id="base64 of one letter"),
        pytest.param("data:;base64,\udcff", "base64 of the data: URL is damaged", id="lone surrogate"),
        pytest.param("", "no file under the path", id="empty path"),
        pytest.param(f"/nowhere/{SECRET}", "no file under the path", id="path that there is not"),
        pytest.param(f"{SECRET}\0", "path of the content", id="path with NUL"),
        pytest.param("\udcff\ud800", "path of the content", id="path with surrogates"),
        pytest.param(SECRET * 1_000, "path of the content", id="long path"),
        pytest.param(Path(), "no file under the path", id="folder"),
        pytest.param("/dev/zero", "no file under the path", id="device"),
        pytest.param(io.StringIO(SECRET), "opened as text", id="text file"),
        pytest.param(Reader(SECRET), "file object cannot be read", id="file that gives text"),
        pytest.param(Reader(None), "file object cannot be read", id="file that gives nothing"),
    ],
)
def test_what_is_wrong_is_said(source: object, why: str) -> None:
    with pytest.raises(DecodeError, match=why) as caught:
        read_source(source, capture(), 5_000)
    assert SECRET not in str(caught.value)
    assert SECRET not in repr(caught.value.__cause__)


def test_a_closed_file_is_refused() -> None:
    file = io.BytesIO(DATA)
    file.close()
    with pytest.raises(DecodeError, match="file object cannot be read"):
        read_source(file, Capture(), 5_000)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no named pipes")
def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DecodeError, match="no file under the path"):
        read_source(tmp_path / "pipe", Capture(), 5_000)


def test_what_the_caller_raises_within_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(DATA)
    with pytest.raises(OSError, match="mine"), open_source(path, Capture(), 5_000):
        raise OSError("mine")


def test_it_needs_nothing_but_the_standard_library() -> None:
    code = "import sys, seemly.adapters.media_source; sys.exit(bool({'av', 'PIL', 'numpy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
