# SPDX-License-Identifier: Apache-2.0
"""The loader's batches, epoch after epoch."""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .window import EPOCH, FIRST_BATCH


class LoopError(Exception):
    """The loop cannot be measured; the message gives the reason."""


class Source:
    """The loader's batches, epoch after epoch."""

    def __init__(self, loader: Iterable[Any], begin: Callable[[Iterable[Any]], Iterator[Any]] = iter) -> None:
        """begin: replaces iter()."""
        self._loader = loader
        self._begin = begin
        self.iterator: Iterator[Any] | None = None
        self._delivered = 0

    def took(self, batches: int) -> None:
        """Counts batches that were taken from `iterator` directly, not by next()."""
        self._delivered += batches

    def rest(self) -> Iterator[Any]:
        """Returns the remaining batches of the current epoch."""
        return iter(()) if self.iterator is None else self.iterator

    def next(self) -> tuple[Any, int]:
        flags = 0
        if self.iterator is None:
            self.iterator = self._begin(self._loader)
            flags = EPOCH | FIRST_BATCH
        for batch in self.iterator:
            self._delivered += 1
            return batch, flags
        self.iterator = self._begin(self._loader)
        if self.iterator is self._loader:
            raise LoopError(f"the loader ended after {self._delivered} batches and cannot begin anew, being an iterator: "
                            "give measure() what it was made of, or measure fewer steps")
        for batch in self.iterator:
            self._delivered += 1
            return batch, EPOCH
        raise LoopError("the loader is empty: it has no batch" if self._delivered == 0 else
                        f"the loader had {self._delivered} batches and none in its next epoch")


def epoch_length(loader: Iterable[Any]) -> int:
    """Returns the steps of an epoch; 0: unknown."""
    with contextlib.suppress(TypeError, NotImplementedError):
        return len(loader)  # type: ignore[arg-type]
    return 0
