# SPDX-License-Identifier: Apache-2.0
"""A data set for `data.kind: python` whose sampler runs an epoch of a plain DataLoader before each of the harness's
epochs: both alternate in one process. Writes the plain loader's waits, epoch by epoch, for
python_loader_against_plain.py."""
import json
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Blocks(Dataset):
    def __init__(self, samples, floats):
        self.samples = samples
        self.block = torch.rand(floats)

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        return self.block + 1, index


def dataset(samples, floats):
    return Blocks(samples, floats)


class Turns:
    """Yields the indices in order, after an epoch of the plain loader."""

    def __init__(self, data, out, batch_size, num_workers):
        self.size = len(data)
        self.out = out
        self.waits = []
        self.plain = DataLoader(data, batch_size, num_workers=num_workers, persistent_workers=num_workers > 0)

    def __len__(self):
        return self.size

    def __iter__(self):
        waits = []
        batches = iter(self.plain)
        while True:
            began = time.perf_counter_ns()
            batch = next(batches, None)
            waits.append(time.perf_counter_ns() - began)
            if batch is None:
                break
        self.waits.append(waits[1:-1])  # without the first and the end
        with open(self.out, "w", encoding="utf-8") as file:
            json.dump(self.waits, file)
        yield from range(self.size)


def sampler(data, out, batch_size, num_workers):
    return Turns(data, out, batch_size, num_workers)
