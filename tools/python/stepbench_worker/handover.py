# SPDX-License-Identifier: Apache-2.0
"""When the worker processes of a torch DataLoader began and made each batch, and when it was on its way: times in memory
that they share with the training process. Only in the workers, which are processes of their own, something is wrapped:
the call that reads a batch, and what pickles it in the thread of the queue."""
from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from time import monotonic_ns
from typing import Any

BATCHES = 4096  # of one epoch that are remembered
FIELDS = BEGAN, MADE, SENT = range(3)  # of a batch


class Records:
    """By the number of a batch within its epoch, which both sides know."""

    def __init__(self) -> None:
        import ctypes  # a script without workers starts without these
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
    """In place of the loader's worker_init_fn, which it calls."""

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
    """The batches of windows that are known, of `delivered`."""
    delivered: int = 0
    known: int = 0
    received_ns: int = 0  # waited for batches that were on their way when they were asked for
    busy_ns: int = 0  # of workers, making them
    queued_ns: int = 0  # from when they were made to when they were on their way

    @property
    def tells(self) -> bool:
        """Nearly all are known."""
        return self.known >= 10 and self.known >= 0.9 * self.delivered


class Handover:
    """Of one loop."""

    def __init__(self) -> None:
        self.all = HandedOver()
        self._records: Records | None = None
        self._next = 0  # number of the window's first batch

    def begin_epoch(self, loader: Any, begin: Callable[[Iterable[Any]], Iterator[Any]]) -> Iterator[Any]:
        """begin(loader), whose workers note their times from their start on."""
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
        """Of each step of a window: how long it was, how long it waited for its batch, whether that began an epoch."""
        if self._records is None:
            return
        batch = self._next
        all_of = self.all
        for step_ns, wait_ns, begins_epoch in steps:
            batch = 0 if begins_epoch else batch
            began, made, sent = self._records[batch]
            batch += 1
            got_ns = began_ns + wait_ns
            if not begins_epoch:
                all_of.delivered += 1
                if 0 < sent <= got_ns:  # else of a later epoch, or of a worker that noted nothing
                    all_of.known += 1
                    all_of.received_ns += wait_ns if sent <= began_ns else 0
                    all_of.busy_ns += made - began
                    all_of.queued_ns += sent - made
            began_ns += step_ns
