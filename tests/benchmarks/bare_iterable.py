# SPDX-License-Identifier: Apache-2.0
"""A loader() whose epochs alternate with a bare loop over the same batches in one process. Writes the bare loop's
median time per batch, epoch by epoch, for iterable_against_bare.py."""
import json
import statistics
import time

import torch


def loader(count, floats, out):
    block = torch.rand(8, floats)
    labels = torch.arange(8)
    times = []

    class Batches:
        def __iter__(self):
            for _ in range(count):
                yield block + 1, labels

    class Turns:
        def __iter__(self):
            steps = []
            began = time.perf_counter_ns()
            for _ in Batches():
                now = time.perf_counter_ns()
                steps.append(now - began)
                began = now
            times.append(statistics.median(steps))
            with open(out, "w", encoding="utf-8") as file:
                json.dump(times, file)
            return iter(Batches())

    return Turns()
