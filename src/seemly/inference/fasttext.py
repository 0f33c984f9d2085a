"""Reads and applies a text classifier of fastText's that was compressed for size (a file `.ftz`).

The layout is that of fastText 0.9 (version 12 of the file): the arguments, the words and labels, which n-grams were
kept, the embeddings by product quantization (Joulin et al. 2016, "FastText.zip"), and the output matrix of a
hierarchical softmax. fastText itself looks at every n-gram of every text; here a word's n-grams are put together when
it is first met, and most words of a text were met before.
"""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Classifier", "read_classifier"]

_MAGIC, _VERSION = 793712314, 12
_HIERARCHICAL = 1
_CENTROIDS = 256
_LABEL = "__label__"
_END_OF_LINE = "</s>"
_BASIS, _PRIME, _32_BITS = 2166136261, 16777619, 0xFFFFFFFF
_TINY = 1e-5
"""What fastText adds to a probability before it takes the logarithm."""

_ENTRY = re.compile(rb"([^\0]*)\0(.{8}).", re.DOTALL)
"""A word, how often it was met, and whether it is a label."""

_CACHED = 65_536
"""Words kept in the cache: about 15 MB. It is emptied when full: only what is met once in a while was there by then."""

_CACHED_NGRAMS = 32_768
"""N-grams kept in theirs: about 4 MB."""


class _Ngrams(dict[str, int]):
    """The row of each n-gram that was met lately, -1 of one that was not kept: a cache, for words share most of theirs.

    N-grams have `shortest` to `longest` characters, and hashes go to `buckets`.
    """

    def __init__(self, words: dict[str, int], kept: dict[int, int], shortest: int, longest: int, buckets: int) -> None:
        """`words` and `kept` tell the rows of words, and of n-grams by the buckets of their hashes."""
        super().__init__()
        self._words = words
        self._kept = kept
        self._lengths = range(shortest, longest + 1)
        self._buckets = buckets

    def find(self, word: str) -> list[int]:
        """The rows of a word: its own, if it has one, and those of its n-grams; one for each time that it has it."""
        own = self._words.get(word)
        rows = [] if own is None else [own]
        if word == _END_OF_LINE:
            return rows
        framed = f"<{word}>"
        places = len(framed) + 1
        grams = [framed[at : at + length] for length in self._lengths for at in range(places - length)]
        return rows + [row for row in map(self.__getitem__, grams) if row >= 0]

    def __missing__(self, gram: str) -> int:
        if len(self) >= _CACHED_NGRAMS:
            self.clear()
        hashed = _BASIS
        for byte in gram.encode("utf-8", "replace"):
            # fastText's bytes have a sign, which fills the upper bits before they are hashed.
            hashed = ((hashed ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * _PRIME) & _32_BITS
        self[gram] = row = self._kept.get(hashed % self._buckets, -1)
        return row


class Classifier(dict[str, bytes]):
    """Gives texts a probability for each of `labels`.

    What it holds as a mapping is a cache of words: the sum of a word's rows, and how many these are, as bytes of 32-bit
    floats. Safe to use from several threads.
    """

    def __init__(
        self,
        labels: tuple[str, ...],
        ngrams: _Ngrams,
        table: NDArray[np.float32],
        tree: NDArray[np.float32],
        paths: NDArray[np.intp],
    ) -> None:
        """`table` are the embeddings, [rows, width], and a 1 beside each, which counts them; `tree` tells the inner
        nodes' sides apart, [labels - 1, width]; `paths` are those of `_find_paths`."""
        super().__init__()
        self.labels = labels
        self._ngrams = ngrams
        self._table = table
        self._tree = tree.astype(float)
        self._paths = paths

    def predict(self, text: str) -> NDArray[np.float64]:
        """The probability of each label, [labels], for a text of one line; 0 for all where nothing in it is known."""
        import numpy as np

        words = [*text.split(), _END_OF_LINE]
        known = np.frombuffer(b"".join(map(self.__getitem__, words)), np.float32)
        summed = np.add.reduce(known.reshape(-1, self._table.shape[1]))
        if not summed[-1]:
            return np.zeros(len(self.labels))
        nodes = len(self._tree)
        sides = np.empty(2 * nodes + 1)
        right, left = sides[:nodes], sides[nodes:-1]
        np.divide(1.0, 1.0 + np.exp(-(self._tree @ (summed[:-1] / summed[-1]))), out=right)
        np.subtract(1.0, right, out=left)
        sides[-1] = 1.0 - _TINY
        probabilities: NDArray[np.float64] = np.multiply.reduce((sides + _TINY).take(self._paths))
        return probabilities

    def __missing__(self, word: str) -> bytes:
        import numpy as np

        if len(self) >= _CACHED:
            self.clear()
        known: bytes = np.add.reduce(self._table.take(self._ngrams.find(word), axis=0)).tobytes()
        self[word] = known
        return known


def read_classifier(data: bytes) -> Classifier:
    """The classifier in a file's bytes. Raises ValueError for one of another kind, or one that is damaged."""
    try:
        return _parse(_Reader(data))
    except (struct.error, ValueError, IndexError) as error:
        raise ValueError(f"cannot be read as a compressed classifier of fastText's: {error}") from error


def _parse(reader: _Reader) -> Classifier:
    import numpy as np

    if reader.read("<2i") != (_MAGIC, _VERSION):
        raise ValueError("it is of another kind or version")
    _width, *_, loss, _kind, buckets, shortest, longest, _rate, _threshold = reader.read("<12id")
    _size, words, labels, _tokens, pruned = reader.read("<iiiqq")
    entries = reader.entries(words + labels)
    kept = reader.array(np.int32, 2 * max(pruned, 0)).reshape(-1, 2)
    (quantized,) = reader.read("<?")
    if loss != _HIERARCHICAL or pruned < 0 or not quantized or shortest < 2:
        raise ValueError("it has no hierarchical softmax, was not compressed, or has n-grams of one character")
    table = _read_quantized(reader)
    (quantized,) = reader.read("<?")
    if quantized:
        raise ValueError("its output is compressed")
    nodes, width = reader.read("<qq")
    tree = reader.array(np.float32, nodes * width).reshape(nodes, width)
    ngrams = _Ngrams(
        {word: row for row, (word, _) in enumerate(entries[:words])},
        dict(zip(kept[:, 0].tolist(), (kept[:, 1] + words).tolist(), strict=True)),
        shortest,
        longest,
        buckets,
    )
    names = tuple(name.removeprefix(_LABEL) for name, _ in entries[words:])
    counted = np.column_stack((table, np.ones(len(table), np.float32)))
    return Classifier(names, ngrams, counted, tree[: labels - 1], _find_paths([count for _, count in entries[words:]]))


class _Reader:
    """Bytes, read from their beginning to their end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def read(self, layout: str) -> tuple[Any, ...]:
        """Values of a layout of `struct`."""
        found = struct.unpack_from(layout, self._data, self._at)
        self._at += struct.calcsize(layout)
        return found

    def array(self, kind: type[np.generic], count: int) -> NDArray[Any]:
        """So many numbers of one kind."""
        import numpy as np

        found = np.frombuffer(self._data, kind, count, self._at)
        self._at += found.nbytes
        return found

    def entries(self, count: int) -> list[tuple[str, int]]:
        """So many words or labels, and how often each was met in training."""
        found = []
        for _ in range(count):
            entry = _ENTRY.match(self._data, self._at)
            if entry is None:
                raise ValueError("it ends within a word")
            self._at = entry.end()
            found.append((entry[1].decode("utf-8", "replace"), int.from_bytes(entry[2], "little")))
        return found


def _read_quantized(reader: _Reader) -> NDArray[np.float32]:
    """A matrix of which each row is put together of centroids, with its length apart, if it has one."""
    import numpy as np

    scaled, rows, width, size = reader.read("<?qqi")
    codes = reader.array(np.uint8, size).reshape(rows, -1)
    centroids = _read_centroids(reader)
    parts = [part[codes[:, place]] for place, part in enumerate(centroids)]
    table: NDArray[np.float32] = np.concatenate(parts, axis=1)
    if table.shape != (rows, width):
        raise ValueError("it contradicts itself")
    if scaled:
        lengths = reader.array(np.uint8, rows)
        (norms,) = _read_centroids(reader)
        table = table * norms[lengths]
    return table


def _read_centroids(reader: _Reader) -> list[NDArray[np.float32]]:
    """The centroids of each part of a row, [256, the part's width]; the last part may be narrower."""
    import numpy as np

    width, parts, each, last = reader.read("<4i")
    numbers = reader.array(np.float32, width * _CENTROIDS)
    widths = [each] * (parts - 1) + [last]
    starts = [_CENTROIDS * each * place for place in range(parts)]
    return [
        numbers[start : start + _CENTROIDS * wide].reshape(_CENTROIDS, wide)
        for start, wide in zip(starts, widths, strict=True)
    ]


def _find_paths(counts: Sequence[int]) -> NDArray[np.intp]:
    """How each label is reached from the root of the Huffman tree of labels that were met so often, most frequent
    first, [depth, labels]: the number of each inner node that is left to the right, and, beyond all of these, of each
    that is left to the left. Shorter paths are filled up with the number after the last."""
    import numpy as np

    labels = len(counts)
    totals = [*counts]
    above: dict[int, tuple[int, bool]] = {}
    leaf, inner = labels - 1, labels
    for node in range(labels, 2 * labels - 1):
        for right in (False, True):
            if leaf >= 0 and (inner == node or totals[leaf] < totals[inner]):
                least, leaf = leaf, leaf - 1
            else:
                least, inner = inner, inner + 1
            above[least] = node, right
        totals.append(sum(totals[each] for each, (parent, _) in above.items() if parent == node))
    paths: list[list[int]] = []
    for label in range(labels):
        path: list[int] = []
        at = label
        while at in above:
            at, right = above[at]
            path.append(at - labels + (0 if right else labels - 1))
        paths.append(path)
    depth = max(map(len, paths))
    return np.array([path + [2 * labels - 2] * (depth - len(path)) for path in paths], np.intp).T.copy()
