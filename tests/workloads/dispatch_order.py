# SPDX-License-Identifier: Apache-2.0
"""Holds Dispatcher and fork engine against Python's own DataLoader: dispatch_order.py DISPATCH_TRACE FORK_TRACE.

Workers wait for their turn on a pipe, so the order in which batches finish is forced and nothing sleeps. Both sides
print every dispatch, arrival and yield of an epoch, and for iterable data sets the end of each worker; the traces must
be equal.
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


class Turnstiles(torch.utils.data.IterableDataset):
    """Worker w yields lengths[w] samples; each, and the end, after one release(w)."""

    def __init__(self, lengths):
        self.lengths = lengths
        self.pipes = [os.pipe() for _ in lengths]

    def __iter__(self):
        worker = torch.utils.data.get_worker_info().id
        for number in range(self.lengths[worker]):
            os.read(self.pipes[worker][0], 1)
            yield worker * 1000 + number
        os.read(self.pipes[worker][0], 1)

    def release(self, worker):
        os.write(self.pipes[worker][1], b"x")

    close = Turnstile.close


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
        if isinstance(self._dataset, Turnstile):
            self.events.append(f"R {batch}")
            self._dataset.release(batch)
            return super()._get_data()
        self._dataset.release(worker)
        index, data = super()._get_data()
        if hasattr(data, "worker_id"):  # an _IterableDatasetStopIteration
            self.events.append(f"X {worker}")
            self.queued[worker] = []  # its other tasks are never answered
        else:
            self.events.append(f"R {index}")
            self.numbers[int(data)] = index
        return index, data


def python_trace(workers, prefetch_factor, in_order, tasks, seed):
    dataset = Turnstile(tasks) if isinstance(tasks, int) else Turnstiles(tasks)
    loader = torch.utils.data.DataLoader(dataset, batch_size=1, num_workers=workers,
                                         prefetch_factor=prefetch_factor, in_order=in_order)
    Traced.events, Traced.random, Traced.numbers = [], random.Random(seed), {}
    Traced.queued = {worker: [] for worker in range(workers)}
    iterator = Traced(loader)
    for batch in iterator:
        iterator.events.append(f"Y {iterator.numbers.get(batch.item(), batch.item())}")
    dataset.close()
    return " ".join(Traced.events + ["E"])


def compare(program, cases, expected):
    got = subprocess.run([program], input="\n".join(cases) + "\n", capture_output=True, text=True, check=True)
    traces = [line.strip() for line in got.stdout.splitlines()]
    assert len(traces) == len(expected), (len(traces), len(expected))
    for case, ours, theirs in zip(cases, traces, expected):
        assert ours == theirs, f"{program}: case {case}\n ours   {ours}\n python {theirs}"
    print(f"{program}: {len(cases)} epochs of Python {torch.__version__} agree")


def main():
    cases, expected = [], []

    def add(workers, prefetch_factor, in_order, tasks, seed):
        trace = python_trace(workers, prefetch_factor, in_order, tasks, seed)
        events = zip(trace.split(), trace.split()[1:])
        arrived = [token if event == "R" else f"x {token}" for event, token in events if event in "RX"]
        count = tasks if isinstance(tasks, int) else -1
        cases.append(f"{workers} {prefetch_factor} {int(in_order)} {count} {' '.join(arrived)}")
        expected.append(trace)

    for number, (workers, prefetch_factor, in_order, tasks) in enumerate(
            itertools.product((1, 2, 3), (1, 3), (True, False), (1, 7, 12))):
        add(workers, prefetch_factor, in_order, tasks, seed=number)
    for number, (lengths, prefetch_factor, in_order) in enumerate(
            itertools.product(((3,), (0, 4), (5, 1), (2, 0, 6), (4, 4, 4), (0, 0)), (1, 3), (True, False))):
        add(len(lengths), prefetch_factor, in_order, lengths, seed=number)
    compare(sys.argv[1], cases, expected)
    # Forked workers read by index; the ends of iterable data sets are the Dispatcher's business alone.
    indexed = [(case, trace) for case, trace in zip(cases, expected) if case.split()[3] != "-1"]
    compare(sys.argv[2], *zip(*indexed))


if __name__ == "__main__":
    main()
