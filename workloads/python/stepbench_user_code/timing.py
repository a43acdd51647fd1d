# SPDX-License-Identifier: Apache-2.0
"""Times when workers fetch, collate and hand over batches, in memory shared with the worker's C++ code.

The user's Dataset and functions are unchanged for torch and for themselves; only two calls of torch's fetchers are
wrapped in the reading process, and the pickling of a batch in its queue's thread.
"""
import collections
import time
from multiprocessing import queues, resource_sharer

from torch.utils.data._utils import fetch

from stepbench_user_code import user_file

# Integers per worker, by index; python_loader.cpp reads them too. The last part, after the workers', is the training
# process's. TELLS: the queue's thread is timed. ENDED_NS: when the last of BATCHES ended.
BATCHES, BUSY_NS, FETCH_NS, COLLATE_NS, BUSY_US_SQUARED, TELLS, QUEUE_WAIT_NS, MEMORY_WAIT_NS, MEMORIES, ENDED_NS = (
    range(10)
)
FIELDS = 10


def part_of(records, worker):
    return memoryview(records).cast("B").cast("q")[worker * FIELDS : (worker + 1) * FIELDS]


def time_queue_thread(mine):
    """A worker's batch is finished when its queue's thread has pickled it: that thread waits for the GIL while the next
    batch is made. Returns a function that fetch calls when a batch ends; None: there is no such thread to time.
    """
    pickler = getattr(queues, "_ForkingPickler", None)
    dumps = getattr(pickler, "dumps", None)
    if dumps is None:
        return None
    ended = collections.deque()
    now = time.monotonic_ns

    class TimedPickler(pickler):
        @classmethod
        def dumps(cls, obj, protocol=None):
            of_batch = isinstance(obj, tuple) and len(obj) == 2 and isinstance(obj[0], int) and bool(ended)
            if of_batch:
                mine[QUEUE_WAIT_NS] += now() - ended.popleft()
            try:
                return dumps(obj, protocol)
            finally:
                if of_batch:
                    mine[ENDED_NS] = now()
                    mine[BATCHES] += 1

    queues._ForkingPickler = TimedPickler
    mine[TELLS] = 1
    return ended.append


def time_memory(records, workers):
    """In the training process: times how long it waits for workers to pass it a batch's memory, which a thread of
    theirs does."""
    mine = part_of(records, workers)
    plain = getattr(resource_sharer.DupFd.detach, "plain", resource_sharer.DupFd.detach)
    now = time.monotonic_ns

    def detach(self):
        began = now()
        try:
            return plain(self)
        finally:
            mine[MEMORY_WAIT_NS] += now() - began
            mine[MEMORIES] += 1

    detach.plain = plain
    resource_sharer.DupFd.detach = detach


def name_sample(error, dataset):
    """Adds the sample to an error raised by dataset[index], if Python supports notes."""
    trace = error.__traceback__
    while trace is not None and hasattr(error, "add_note"):
        names = trace.tb_frame.f_code.co_varnames
        known = trace.tb_frame.f_locals
        if trace.tb_frame.f_code.co_name == "__getitem__" and len(names) > 1 and known.get(names[0]) is dataset:
            error.add_note(f"{user_file.SAMPLE}sample {known.get(names[1])!r}")
            return
        trace = trace.tb_next


def install(records, worker, watch=None, hands_over=False):
    """Makes this process write to its part of `records`. `watch` (of stacks.py) is called when it reads."""
    mine = part_of(records, worker)
    now = time.monotonic_ns
    batch_ended = time_queue_thread(mine) if hands_over else None

    for kind in (fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher):
        plain = getattr(kind.fetch, "plain", kind.fetch)

        def timed_fetch(self, index, plain=plain):
            collate = self.collate_fn
            collated = 0

            def timed_collate(samples):
                nonlocal collated
                began = now()
                try:
                    return collate(samples)
                finally:
                    collated = now() - began

            self.collate_fn = timed_collate
            if watch is not None:
                watch.enter()
            began = now()
            try:
                return plain(self, index)
            except Exception as error:
                name_sample(error, self.dataset)
                raise
            finally:
                if watch is not None:
                    watch.leave()
                self.collate_fn = collate
                spent = now() - began
                mine[BUSY_NS] += spent
                mine[FETCH_NS] += spent - collated
                mine[COLLATE_NS] += collated
                mine[BUSY_US_SQUARED] += (spent // 1000) ** 2
                if batch_ended is not None:
                    batch_ended(began + spent)
                else:
                    mine[ENDED_NS] = now()
                    mine[BATCHES] += 1

        timed_fetch.plain = plain
        kind.fetch = timed_fetch
