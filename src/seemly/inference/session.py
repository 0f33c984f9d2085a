"""Opening a model. The only module that loads onnxruntime, and it does so when the first text is scored."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Generic, TypeVar

from seemly.core.errors import ModelError
from seemly.core.locks import ProcessLock

if TYPE_CHECKING:
    from collections.abc import Callable

    import onnxruntime as ort

__all__ = ["Opened", "open_session"]

T = TypeVar("T")


class Opened(Generic[T]):
    """What `load` makes, made once in each process, when it is first asked for; a load that failed stays failed.

    A child process opens its own: sessions do not survive a fork. Safe to call from several threads.
    """

    def __init__(self, load: Callable[[], T]) -> None:
        self._load = load
        self._lock = ProcessLock()
        self._made: tuple[int, T | ModelError] | None = None

    def __call__(self) -> T:
        """What was loaded. Raises ModelError, the same each time, where it could not be."""
        pid = os.getpid()
        made = self._made
        if made is None or made[0] != pid:
            with self._lock:
                made = self._made
                if made is None or made[0] != pid:
                    self._made = made = (pid, self._try())
        if isinstance(made[1], ModelError):
            raise ModelError(str(made[1]))
        return made[1]

    def _try(self) -> T | ModelError:
        try:
            return self._load()
        except ModelError as error:
            return error
        except Exception as error:  # noqa: BLE001  (a load that failed stays failed, whatever it was)
            return ModelError(f"a model could not be loaded: {type(error).__name__}")


_SLOWER = ("SkipLayerNormFusion",)
"""Rewritings of onnxruntime's that make our graphs slower: its fused norm takes longer than a sum and a norm apart."""


def open_session(weights: bytes, name: str) -> ort.InferenceSession:
    """A session of one thread. Raises ModelError where onnxruntime cannot open the weights."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    # Callers bring their own threads; a pool of onnxruntime's would fight them, and would not survive a fork.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # shapes differ from call to call
    options.log_severity_level = 3
    try:
        return ort.InferenceSession(
            weights, options, providers=["CPUExecutionProvider"], disabled_optimizers=list(_SLOWER)
        )
    except Exception as error:  # onnxruntime's exceptions have no common type of their own
        raise ModelError(f"the weights of model {name!r} cannot be opened by onnxruntime {ort.__version__}") from error
