# SPDX-License-Identifier: Apache-2.0
"""Holds the Dispatcher against Python's own DataLoader: dispatch_order.py DISPATCH_TRACE.

Workers wait for their turn on a pipe, so the order in which batches finish is forced and nothing sleeps. Both sides
print every dispatch, arrival and yield of an epoch; the traces must be equal.
"""
import itertools
import os
import random
import subprocess
import sys

import torch
import torch.utils.data.dataloader as dataloader


class Turnstile(torch.utils.data.Dataset):
    """Sample i can be read once release(i) was called."""

    def __init__(self, samples):
        self.pipes = [os.pipe() for _ in range(samples)]

    def __len__(self):
        return len(self.pipes)

    def __getitem__(self, index):
        os.read(self.pipes[index][0], 1)
        return index

    def release(self, index):
        os.write(self.pipes[index][1], b"x")

    def close(self):
        for end in itertools.chain.from_iterable(self.pipes):
            os.close(end)


class Traced(dataloader._MultiProcessingDataLoaderIter):
    """Python's iterator; what it does is written down, and each result it waits for is one that we choose."""

    def _try_put_index(self):
        before = self._send_idx
        super()._try_put_index()
        if self._send_idx > before:
            worker = self._task_info[before][0]
            self.queued[worker].append(before)
            self.events.append(f"D {before} {worker}")

    def _get_data(self):
        worker = self.random.choice([w for w, tasks in self.queued.items() if tasks])
        batch = self.queued[worker].pop(0)
        self.events.append(f"R {batch}")
        self._dataset.release(batch)
        return super()._get_data()


def python_trace(workers, prefetch_factor, in_order, tasks, seed):
    dataset = Turnstile(tasks)
    loader = torch.utils.data.DataLoader(dataset, batch_size=1, num_workers=workers,
                                         prefetch_factor=prefetch_factor, in_order=in_order)
    Traced.events, Traced.random = [], random.Random(seed)
    Traced.queued = {worker: [] for worker in range(workers)}
    iterator = Traced(loader)
    for batch in iterator:
        iterator.events.append(f"Y {batch.item()}")
    dataset.close()
    return " ".join(Traced.events + ["E"])


def main():
    cases, expected = [], []
    for number, (workers, prefetch_factor, in_order, tasks) in enumerate(
            itertools.product((1, 2, 3), (1, 3), (True, False), (1, 7, 12))):
        trace = python_trace(workers, prefetch_factor, in_order, tasks, seed=number)
        arrived = [token for event, token in zip(trace.split(), trace.split()[1:]) if event == "R"]
        cases.append(f"{workers} {prefetch_factor} {int(in_order)} {tasks} {' '.join(arrived)}")
        expected.append(trace)
    got = subprocess.run([sys.argv[1]], input="\n".join(cases) + "\n", capture_output=True, text=True, check=True)
    traces = [line.strip() for line in got.stdout.splitlines()]
    assert len(traces) == len(expected), (len(traces), len(expected))
    for case, ours, theirs in zip(cases, traces, expected):
        assert ours == theirs, f"case {case}\n ours   {ours}\n python {theirs}"
    print(f"{len(cases)} epochs of Python {torch.__version__} agree")


if __name__ == "__main__":
    main()
