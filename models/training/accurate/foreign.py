"""Word pieces of other languages, and where each starts: at the mean of the English pieces that it aligns with.

A table t(e|f) of translations is learned from the pairs by IBM's model 1 (Brown et al. 1993), piece by piece. A new
piece is the mean of its English pieces, weighted by t(e|f) * sqrt(t(f|e)); those below a fifth of the largest count for
nothing, else rare pieces are the mean of much that they are not.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from seemly.inference.tokenizer import CONTINUED, END, SPECIAL, WordPieceTokenizer, bare, split, strip
from training.codes import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float32]

_LETTERS = 700_000
"""Letters a language that pieces are learned from."""

_OFTEN = 6
"""How often a word with accents stands in those before it becomes a piece as it is."""

_LONGEST = 48
"""Pieces of either side beyond which a pair is not aligned."""

_SEEN = 5

_ROUNDS = 5
_PRUNED = 0.2


def sample(texts: Mapping[str, Sequence[str]], seed: int) -> dict[str, list[str]]:
    """About as many letters of each language."""
    rng = random.Random(seed)
    found: dict[str, list[str]] = {}
    for language in LANGUAGES[1:]:
        order = list(texts.get(language, ()))
        rng.shuffle(order)
        letters, kept = 0, []
        for text in order:
            kept.append(text)
            letters += len(text)
            if letters > _LETTERS:
                break
        found[language] = kept
    return found


def learn(texts: Mapping[str, Sequence[str]], known: Sequence[str], size: int, whole: Sequence[str]) -> list[str]:
    """At most `size` pieces that the known vocabulary lacks: of words without accents, then whole words with them.

    `whole` are words that become pieces whatever their frequency.
    """
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.pre_tokenizers import WhitespaceSplit
    from tokenizers.trainers import WordPieceTrainer

    have = set(known)
    counted: Counter[str] = Counter()
    lines = []
    for language in texts.values():
        for text in language:
            lines.append(" ".join(word for word in bare(text) if not (len(word) > 4 and word.isdecimal())))
            counted.update(word for word in split(text) if not word.isascii() and len(word) > 2)
    accented = [word for word, count in counted.most_common() if count >= _OFTEN and bare(word) != [word]]
    accented = accented[: size // 4]
    tokenizer = Tokenizer(WordPiece(unk_token=SPECIAL[1], continuing_subword_prefix=CONTINUED))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    trainer = WordPieceTrainer(
        vocab_size=size, min_frequency=3, limit_alphabet=8_000, special_tokens=list(SPECIAL),
        continuing_subword_prefix=CONTINUED, show_progress=False,
    )  # fmt: skip
    tokenizer.train_from_iterator(lines, trainer)
    numbers = tokenizer.get_vocab()
    learned = [piece for piece in sorted(numbers, key=numbers.__getitem__) if piece not in SPECIAL and len(piece) <= 18]
    found = dict.fromkeys(piece for piece in (*whole, *learned, *accented) if piece not in have)
    return list(found)[:size]


def keep_english(learned: Sequence[str], known: Sequence[str], english: Sequence[str]) -> list[str]:
    """The learned pieces but for those that would cut a word of the English texts, seen five times, otherwise."""
    counted = Counter(word for text in english for word in bare(text))
    words = [word for word, count in counted.items() if count >= _SEEN and word.isascii()]
    found = list(learned)
    for _ in range(4):
        cutter = WordPieceTokenizer([*known, *found], bare=True)
        used = {int(number) for word in words for number in cutter.encode(word) if number >= len(known)}
        if not used:
            break
        found = [piece for at, piece in enumerate(found) if at + len(known) not in used]
    return found


def start(pairs: Sequence[tuple[str, str]], vocabulary: Sequence[str], known: int, table: Array) -> Array:
    """The rows of the pieces from `known` on, from pairs of other and English texts and the known pieces' `table`."""
    others, places, sides = _together(
        pairs, WordPieceTokenizer(vocabulary, bare=True), WordPieceTokenizer(vocabulary[:known], bare=True)
    )
    numbers, at = np.unique(others[places[0]] * known + sides[places[1]], return_inverse=True)
    at = at.astype(np.int32)
    foreign, english = np.divmod(numbers, known)
    given_foreign = _translate(at, places[1], foreign, len(sides))
    given_english = _translate(at, places[0], english, len(others))
    weight = given_foreign * np.sqrt(given_english)
    most = np.zeros(len(vocabulary))
    np.maximum.at(most, foreign, weight)
    kept = (weight >= _PRUNED * most[foreign]) & (foreign >= known)
    foreign, english, weight = foreign[kept] - known, english[kept], weight[kept]
    rows = np.zeros((len(vocabulary) - known, table.shape[1]))
    total = np.zeros(len(rows))
    np.add.at(total, foreign, weight)
    for begin in range(0, len(foreign), 100_000):
        part = slice(begin, begin + 100_000)
        np.add.at(rows, foreign[part], table[english[part]] * weight[part, None])
    mean = table[END + 1 :].mean(axis=0)
    met = total > 0
    rows[met] /= total[met, None]
    rows[~met] = mean
    _share(rows, met, vocabulary[known:])
    print(f"{int(met.sum())} of {len(rows)} new pieces stand in pairs", flush=True)
    return rows.astype(np.float32)


def _share(rows: NDArray[np.float64], met: NDArray[np.bool_], pieces: Sequence[str]) -> None:
    """Give a word that stands in no pair the mean of those that it is without their accents."""
    of: dict[str, list[int]] = {}
    for at in np.flatnonzero(met).tolist():
        if not pieces[at].isascii():
            of.setdefault(strip(pieces[at]), []).append(at)
    for at in np.flatnonzero(~met).tolist():
        if found := of.get(pieces[at]):
            rows[at] = rows[found].mean(axis=0)


def _together(
    pairs: Sequence[tuple[str, str]], cutter: WordPieceTokenizer, old: WordPieceTokenizer
) -> tuple[NDArray[np.int64], tuple[NDArray[np.int32], NDArray[np.int32]], NDArray[np.int64]]:
    """The pieces of all other sides, the places of theirs and of the English sides that stand in one pair, and the
    pieces of all English sides."""
    others: list[NDArray[np.int64]] = []
    sides: list[NDArray[np.int64]] = []
    left, right = [], []
    begun, first = 0, 0
    for other, english in pairs:
        these, those = np.unique(cutter.encode(other)), np.unique(old.encode(english))
        these, those = these[these > END].astype(np.int64), those[those > END].astype(np.int64)
        if not 0 < len(these) <= _LONGEST or not 0 < len(those) <= _LONGEST:
            continue
        left.append(np.repeat(np.arange(begun, begun + len(these), dtype=np.int32), len(those)))
        right.append(np.tile(np.arange(first, first + len(those), dtype=np.int32), len(these)))
        others.append(these)
        sides.append(those)
        begun, first = begun + len(these), first + len(those)
    return np.concatenate(others), (np.concatenate(left), np.concatenate(right)), np.concatenate(sides)


def _translate(
    at: NDArray[np.int32], made: NDArray[np.int32], given: NDArray[np.int64], count: int
) -> NDArray[np.float64]:
    """t(made | given) for each pair of pieces: `at` is the pair of each link, `made` the place that the link explains,
    of which there are `count`."""
    size = len(given)
    chance = np.ones(size)
    for _ in range(_ROUNDS):
        links = chance[at]
        links /= np.bincount(made, links, count)[made]
        counts = np.bincount(at, links, size)
        chance = counts / np.bincount(given, counts)[given]
    return chance
