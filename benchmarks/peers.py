"""The libraries that a user would pick instead, over the same messages, in the same process.

Those that are not installed are named as such: `pip install -r benchmarks/requirements.txt` brings them.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable

from seemly.core.channel import Channel
from seemly.engine.engine import Engine
from seemly.policies.profanity.lexicon import contains_profanity

Check = Callable[[str], object]


def print_table(messages: list[str]) -> None:
    """Time each library, message by message, and print a table."""
    print("\n| library | what it gives | mean per message | messages a second |")
    print("|---|---|---|---|")
    for name, gives, make in _LIBRARIES:
        try:
            check = make()
        except ImportError as error:
            print(f"| {name} | {gives} | not installed ({error.name}) | |")
            continue
        count = len(messages)
        check(messages[0])
        started = time.perf_counter()
        done = 0
        for message in messages[1:]:
            check(message)
            done += 1
            if time.perf_counter() - started > 20:
                break
        mean = (time.perf_counter() - started) / done
        note = "" if done == count - 1 else f" ({done} messages)"
        print(f"| {name} | {gives} | {mean * 1e6:,.0f} µs{note} | {1 / mean:,.0f} |")


def _seemly() -> Check:
    return Engine(Channel(key="bench"), tier="fast").warm_up().moderate


def _seemly_lexicon() -> Check:
    return contains_profanity


def _alt_profanity_check() -> Check:
    predict = importlib.import_module("profanity_check").predict_prob
    return lambda message: predict([message])


def _better_profanity() -> Check:
    profanity = importlib.import_module("better_profanity").profanity
    profanity.load_censor_words()
    return profanity.contains_profanity  # type: ignore[no-any-return]


def _presidio() -> Check:
    analyzer = importlib.import_module("presidio_analyzer")
    engines = importlib.import_module("presidio_analyzer.nlp_engine")
    spacy = importlib.import_module("spacy")

    class BlankEngine(engines.SpacyNlpEngine):  # type: ignore[misc, name-defined]
        """Pattern recognizers only: a tokenizer and no model, which would have to be downloaded."""

        def __init__(self) -> None:
            super().__init__()
            self.nlp = {"en": spacy.blank("en")}

    engine = analyzer.AnalyzerEngine(nlp_engine=BlankEngine(), supported_languages=["en"])
    return lambda message: engine.analyze(message, language="en")


def _bert() -> Check:
    torch = importlib.import_module("torch")
    transformers = importlib.import_module("transformers")
    torch.set_num_threads(1)
    config = transformers.BertConfig(num_labels=6)
    model = transformers.BertForSequenceClassification(config).eval()

    def check(message: str) -> object:
        # A quarter of the characters is about what a WordPiece tokenizer makes of English; tokenizing is left out.
        ids = torch.randint(0, config.vocab_size, (1, min(512, 2 + len(message) // 4)))
        with torch.inference_mode():
            return model(input_ids=ids)

    return check


_LIBRARIES: tuple[tuple[str, str, Callable[[], Check]], ...] = (
    ("seemly", "12 policies, spans, masks, language, decision", _seemly),
    ("seemly, lexicon only", "profanity yes or no", _seemly_lexicon),
    ("alt-profanity-check", "profanity probability", _alt_profanity_check),
    ("better-profanity", "profanity yes or no", _better_profanity),
    ("presidio-analyzer, patterns only", "personal data spans", _presidio),
    ("BERT-base in PyTorch, random weights", "6 probabilities (speed only)", _bert),
)
