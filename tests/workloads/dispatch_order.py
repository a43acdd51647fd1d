# SPDX-License-Identifier: Apache-2.0
"""Records the actions of Python's own DataLoader in an epoch: dispatch_order.py FILE [--approve]. The Dispatcher is
compared with the record in tests/unit/loading/dispatcher_test.cpp.

Workers wait for their turn on a pipe, so the order in which batches finish is forced and nothing sleeps. A line has
workers, prefetch_factor, in_order and tasks (-1: endless), then every dispatch (D batch worker), arrival (R batch),
end of a worker of an iterable data set (X worker) and yield (Y batch), and E at the end.
"""
import itertools
import os
import pathlib
import random
import sys

import torch
import torch.utils.data.dataloader as dataloader


class Turnstile(torch.utils.data.Dataset):
    """Sample i can be read after release(i)."""

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
    """Worker w yields lengths[w] samples; each of them, and the end, after one release(w)."""

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
    """Python's iterator with a log of its actions; the test chooses each result that it waits for."""

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
            self.queued[worker] = []  # its other tasks are never completed
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


def main():
    lines = []

    def add(workers, prefetch_factor, in_order, tasks, seed):
        count = tasks if isinstance(tasks, int) else -1
        trace = python_trace(workers, prefetch_factor, in_order, tasks, seed)
        lines.append(f"{workers} {prefetch_factor} {int(in_order)} {count} {trace}\n")

    for number, (workers, prefetch_factor, in_order, tasks) in enumerate(
            itertools.product((1, 2, 3), (1, 3), (True, False), (1, 7, 12))):
        add(workers, prefetch_factor, in_order, tasks, seed=number)
    for number, (lengths, prefetch_factor, in_order) in enumerate(
            itertools.product(((3,), (0, 4), (5, 1), (2, 0, 6), (4, 4, 4), (0, 0)), (1, 3), (True, False))):
        add(len(lengths), prefetch_factor, in_order, lengths, seed=number)
    file = pathlib.Path(sys.argv[1])
    if sys.argv[2:] == ["--approve"]:
        file.write_text("".join(lines))
    recorded = file.read_text().splitlines(keepends=True)
    assert recorded == lines, [f"recorded {old}python   {new}" for old, new in zip(recorded, lines) if old != new]
    print(f"{len(lines)} epochs of Python {torch.__version__} are as recorded")


if __name__ == "__main__":
    main()
