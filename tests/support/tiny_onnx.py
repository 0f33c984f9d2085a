"""An ONNX file of three classes, written byte by byte: how red, green and blue a picture is on average.

Field numbers are those of onnx.proto (ONNX's specification), so that the tests need no package that writes models.
"""

from __future__ import annotations


def colours(height: int, width: int, *, layout: str = "NCHW", name: str = "picture") -> bytes:
    """The model for pictures [1, 3, height, width], or [1, height, width, 3] with `layout` NHWC."""
    shape = [1, 3, height, width] if layout == "NCHW" else [1, height, width, 3]
    first = [] if layout == "NCHW" else [_node("Transpose", name, "turned", _ints("perm", [0, 3, 1, 2]))]
    nodes = [
        *first,
        _node("GlobalAveragePool", "turned" if first else name, "pooled"),
        _node("Flatten", "pooled", "classes"),
    ]
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, b"colours")
    graph += _field(11, _value(name, shape)) + _field(12, _value("classes", [1, 3]))
    return _number(1, 8) + _field(7, graph) + _field(8, _number(2, 17))


def _node(op: str, source: str, target: str, attribute: bytes = b"") -> bytes:
    more = _field(5, attribute) if attribute else b""
    return _field(1, source.encode()) + _field(2, target.encode()) + _field(4, op.encode()) + more


def _ints(name: str, values: list[int]) -> bytes:
    return _field(1, name.encode()) + b"".join(_number(8, value) for value in values) + _number(20, 7)


def _value(name: str, shape: list[int]) -> bytes:
    dims = b"".join(_field(1, _number(1, size)) for size in shape)
    tensor = _number(1, 1) + _field(2, dims)
    return _field(1, name.encode()) + _field(2, _field(1, tensor))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])
