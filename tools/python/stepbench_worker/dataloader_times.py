# SPDX-License-Identifier: Apache-2.0
"""Records when the worker processes of a torch DataLoader began, finished and sent each batch: times in memory shared
with the training process. Only code inside the workers, which are separate processes, is wrapped: the call that reads a
batch, and its pickling in the queue's thread."""
from __future__ import annotations

import collections
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from time import monotonic_ns
from typing import Any

BATCHES = 4096  # remembered per epoch
FIELDS = BEGAN, MADE, SENT = range(3)  # of a batch


class Records:
    """Indexed by the number of a batch within its epoch, which both sides know."""

    def __init__(self) -> None:
        import ctypes  # not imported by scripts without workers
        import multiprocessing.sharedctypes
        self._memory = multiprocessing.sharedctypes.RawArray(ctypes.c_int64, BATCHES * len(FIELDS))

    def __getitem__(self, batch: int) -> tuple[int, int, int]:
        at = batch % BATCHES * len(FIELDS)
        began, made, sent = self._memory[at:at + len(FIELDS)]
        return began, made, sent

    def write(self, batch: int, times: tuple[int, int, int]) -> None:
        at = batch % BATCHES * len(FIELDS)
        self._memory[at:at + len(FIELDS)] = list(times)


class WorkerInit:
    """Replaces the loader's worker_init_fn, and calls it."""

    def __init__(self, records: Records, own: Callable[[int], Any] | None) -> None:
        self.records = records
        self.own = own

    def __call__(self, worker: int) -> None:
        made: collections.deque[tuple[int, int]] = collections.deque()
        if _note_when_sent(self.records, made):
            _note_when_made(made)
        if self.own is not None:
            self.own(worker)


def _note_when_sent(records: Records, made: collections.deque[tuple[int, int]]) -> bool:
    from multiprocessing import queues
    pickler: Any = getattr(queues, "_ForkingPickler", None)
    plain: Any = getattr(pickler, "dumps", None)
    if plain is None:
        return False

    class TimedPickler(pickler):  # type: ignore[misc]
        @classmethod
        def dumps(cls, obj: Any, protocol: int | None = None) -> Any:
            is_batch = isinstance(obj, tuple) and len(obj) == 2 and isinstance(obj[0], int) and bool(made)
            times = made.popleft() if is_batch else (0, 0)
            try:
                return plain(obj, protocol)
            finally:
                if is_batch:
                    records.write(obj[0], (*times, monotonic_ns()))

    queues._ForkingPickler = TimedPickler  # type: ignore[attr-defined]
    return True


def _note_when_made(made: collections.deque[tuple[int, int]]) -> None:
    from torch.utils.data._utils import fetch
    for kind in (fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher):
        plain = kind.fetch

        def timed(self: Any, index: Any, plain: Any = plain) -> Any:
            began = monotonic_ns()
            try:
                return plain(self, index)
            finally:
                made.append((began, monotonic_ns()))

        kind.fetch = timed  # type: ignore[method-assign]


@dataclass
class HandedOver:
    """Sums over the batches of windows: `known` of `delivered` batches have times."""
    delivered: int = 0
    known: int = 0
    received_ns: int = 0  # wait for batches that had already been sent when requested
    stalled_ns: int = 0  # wait for a batch while later ones had already been sent
    busy_ns: int = 0  # workers' time making them
    busy_squared: float = 0  # sum of the squares
    queued_ns: int = 0  # from finished to sent

    @property
    def tells(self) -> bool:
        """True if nearly all batches are known."""
        return self.known >= 10 and self.known >= 0.9 * self.delivered

    @property
    def variation(self) -> float:
        """Standard deviation of the time to make a batch over its mean."""
        mean = self.busy_ns / self.known
        return math.sqrt(max(0.0, self.busy_squared / self.known - mean * mean)) / max(1.0, mean)


class Handover:
    """The handover of one loop."""

    def __init__(self) -> None:
        self.all = HandedOver()
        self._records: Records | None = None
        self._next = 0  # number of the window's first batch

    def begin_epoch(self, loader: Any, begin: Callable[[Iterable[Any]], Iterator[Any]]) -> Iterator[Any]:
        """Like begin(loader), but its workers record their times from their start on."""
        places = getattr(loader, "__dict__", {})
        if not getattr(loader, "num_workers", 0) or "worker_init_fn" not in places or not getattr(loader, "in_order", True):
            return begin(loader)
        if self._records is None:
            self._records = Records()
        own = places["worker_init_fn"]
        places["worker_init_fn"] = WorkerInit(self._records, own)
        try:
            return begin(loader)
        finally:
            places["worker_init_fn"] = own

    def begin(self, iterator: Any) -> None:
        self._next = getattr(iterator, "_rcvd_idx", 0)

    def end(self, began_ns: int, steps: list[tuple[int, int, bool]]) -> None:
        """`steps`: for each step of a window its length, its wait for the batch, and whether the batch began an
        epoch."""
        if self._records is None:
            return
        batch = self._next
        taken = []  # when each batch was requested, the wait for it, whether it began an epoch, its record
        for step_ns, wait_ns, begins_epoch in steps:
            batch = 0 if begins_epoch else batch
            taken.append((began_ns, wait_ns, begins_epoch, self._records[batch]))
            batch += 1
            began_ns += step_ns
        later = math.inf  # when the first of the later batches of the epoch was sent
        all_of = self.all
        for asked, wait_ns, begins_epoch, (began, made, sent) in reversed(taken):
            if begins_epoch:
                later = math.inf
                continue
            all_of.delivered += 1
            if 0 < sent <= asked + wait_ns:  # else of a later epoch, or not recorded
                all_of.known += 1
                all_of.received_ns += wait_ns if sent <= asked else 0
                all_of.stalled_ns += int(max(0, sent - max(asked, min(later, sent))))
                all_of.busy_ns += made - began
                all_of.busy_squared += (made - began) ** 2
                all_of.queued_ns += sent - made
                later = min(later, sent)
