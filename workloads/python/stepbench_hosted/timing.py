# SPDX-License-Identifier: Apache-2.0
"""When workers fetch and collate: numbers in memory that they share with the worker's C++.

The user's own Dataset and functions stay what torch and they themselves see; the two calls of torch's fetchers are
wrapped in the process that reads.
"""
import time

from torch.utils.data._utils import fetch

# Integers per worker; python_loader.cpp reads them by these places.
BATCHES, BUSY_NS, FETCH_NS, COLLATE_NS = range(4)
FIELDS = 8


def install(records, worker, watch=None):
    """From here on this process writes to its part of `records`. `watch` (of stacks.py) is told when it reads."""
    mine = memoryview(records).cast("B").cast("q")[worker * FIELDS : (worker + 1) * FIELDS]
    now = time.monotonic_ns

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
            finally:
                if watch is not None:
                    watch.leave()
                self.collate_fn = collate
                spent = now() - began
                mine[BUSY_NS] += spent
                mine[FETCH_NS] += spent - collated
                mine[COLLATE_NS] += collated
                mine[BATCHES] += 1

        timed_fetch.plain = plain
        kind.fetch = timed_fetch
