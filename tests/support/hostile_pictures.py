"""Images that are damaged, lie, or explode: made here, so that no such file lies in the repository."""

from __future__ import annotations

import io
import random
import struct
import zlib
from collections.abc import Iterator

import numpy as np
from PIL import Image

SEEDS = 5


def whole(kind: str, size: tuple[int, int] = (40, 30), **options: object) -> bytes:
    """A sound image of a kind, with something to see."""
    rng = np.random.default_rng(1)
    pixels = rng.integers(0, 255, (size[1], size[0], 3), np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, kind, **options)
    return out.getvalue()


def animation(kind: str, frames: int, size: tuple[int, int] = (16, 12), duration: int | list[int] = 200) -> bytes:
    """A sound animation whose frames differ."""
    images = [Image.new("RGB", size, (at * 8 % 256, 255 - at * 8 % 256, at * 31 % 256)) for at in range(frames)]
    out = io.BytesIO()
    images[0].save(out, kind, save_all=True, append_images=images[1:], duration=duration)
    return out.getvalue()


def many_scans(size: tuple[int, int], more: int) -> bytes:
    """A progressive JPEG of one colour, whose last scan comes so many times more."""
    out = io.BytesIO()
    Image.new("RGB", size, (128, 128, 128)).save(out, "JPEG", progressive=True)
    data = out.getvalue()
    return data[:-2] + data[data.rindex(b"\xff\xda") : -2] * more + data[-2:]


def png(width: int, height: int, body: bytes, *, depth: int = 8, colour: int = 2) -> bytes:
    """A PNG with that header and that compressed body."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", body), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )


def hostile() -> Iterator[tuple[str, bytes]]:
    """Names and bytes of files that no reader may choke on; none is a sound image of a reasonable size."""
    yield "empty", b""
    yield "one byte", b"\xff"
    yield "zeros", bytes(5_000)
    yield "text", b"hello, this is not an image\n" * 50
    yield "html", b"<html><body><img src=x onerror=alert(1)></body></html>"
    yield "svg", b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect/></svg>"
    yield "pdf", b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n%%EOF"
    yield "postscript", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\nshowpage\n"
    yield "zip", b"PK\x03\x04" + bytes(100)
    yield "program", b"\x7fELF" + bytes(100)
    yield "mp4", b"\x00\x00\x00\x20ftypisom" + bytes(100)
    for kind in ("JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF", "ICO"):
        data = whole(kind)
        yield f"{kind}, header alone", data[:10]
        yield f"{kind}, a third", data[: len(data) // 3]
        yield f"{kind}, magic and noise", data[:16] + random.Random(1).randbytes(2_000)
    yield "JPEG, all but the end", whole("JPEG", (200, 200))[:-400]
    yield "PNG, all but the end", whole("PNG", (200, 200))[:-400]
    yield "JPEG, scanned again and again", many_scans((1_000, 1_000), 2_000)
    yield "PNG bomb", png(60_000, 60_000, zlib.compress(bytes(10_000)))
    yield "PNG bomb, wide", png(2**31 - 1, 1, zlib.compress(bytes(100)))
    yield "PNG bomb, just above", png(8_001, 8_000, zlib.compress(bytes(100)))
    yield "PNG without pixels", png(0, 10, zlib.compress(b""))
    yield "PNG, no zlib", png(10, 10, b"this is not zlib")
    yield "PNG, colour that there is not", png(10, 10, zlib.compress(bytes(400)), colour=5)
    yield "PNG, depth that there is not", png(10, 10, zlib.compress(bytes(400)), depth=3)
    yield (
        "GIF, absurd screen",
        b"GIF89a" + struct.pack("<HH", 65_535, 65_535) + b"\x80\x00\x00" + bytes(6) + b",\0\0\0\0",
    )
    yield "BMP, absurd size", whole("BMP")[:18] + struct.pack("<ii", 2**31 - 1, 2**31 - 1) + bytes(100)
    yield "BMP, negative size", whole("BMP")[:18] + struct.pack("<ii", -(2**31), -(2**31)) + bytes(100)
    yield "WEBP, absurd size", b"RIFF\xff\xff\xff\x7fWEBPVP8X" + b"\x0a\0\0\0" + b"\x10\0\0\0" + b"\xff" * 6
    yield "TIFF, endless directory", b"II*\0\x08\0\0\0" + b"\xff\xff" + b"\0" * 50
    yield "TIFF, directory beyond the end", b"II*\0\xff\xff\xff\x7f"
    yield "ICO, entries beyond the end", b"\0\0\1\0\xff\xff" + b"\xff" * 64


def scrambled() -> Iterator[tuple[str, bytes]]:
    """Images with something wrong that some still read; none may raise anything but a DecodeError."""
    yield "PNG, zlib bomb for one pixel", png(1, 1, zlib.compress(bytes(50_000_000)))[:-12]
    for kind in ("JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF", "ICO"):
        data = whole(kind) if kind != "GIF" else animation(kind, 4)
        for seed in range(SEEDS):
            rng = random.Random(seed)
            changed = bytearray(data)
            for _ in range(1 + seed * 4):
                changed[rng.randrange(8, len(changed))] = rng.randrange(256)
            yield f"{kind}, scrambled {seed}", bytes(changed)
