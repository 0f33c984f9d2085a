"""The word pieces of the fast model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seemly.inference.tokenizer import CONTINUED, SPECIAL, split

if TYPE_CHECKING:
    from collections.abc import Iterable


def learn(texts: Iterable[str], size: int) -> list[str]:
    """At most `size` pieces, `SPECIAL` first, learned by WordPiece's trainer from words as the runtime splits them.

    The trainer breaks ties in no fixed order: two runs differ in about one piece of three hundred.
    """
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.pre_tokenizers import WhitespaceSplit
    from tokenizers.trainers import WordPieceTrainer

    tokenizer = Tokenizer(WordPiece(unk_token=SPECIAL[1], continuing_subword_prefix=CONTINUED))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    trainer = WordPieceTrainer(
        vocab_size=size,
        min_frequency=4,
        limit_alphabet=6_000,
        special_tokens=list(SPECIAL),
        continuing_subword_prefix=CONTINUED,
        show_progress=False,
    )
    words = (" ".join(w.replace("’", "'") for w in split(text) if not (len(w) > 2 and w.isdecimal())) for text in texts)
    tokenizer.train_from_iterator(words, trainer)
    numbers = tokenizer.get_vocab()
    kept = [piece for piece in sorted(numbers, key=numbers.__getitem__) if piece not in SPECIAL and len(piece) <= 18]
    return [*SPECIAL, *kept]
