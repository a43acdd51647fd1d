# SPDX-License-Identifier: Apache-2.0
"""Data sets with one cost each, selected by the section `python`, and a stopwatch to check stepbench's measurements."""
import mmap
import os
import random
import time
import zlib

import torch
from torch.utils.data import Dataset, IterableDataset, default_collate

FOLDER = os.environ.get("PLANTED_FOLDER", ".")
CONTENT = random.Random(0).randbytes(1 << 16) * 4  # 256 KiB that take zlib milliseconds


def spin(ms):
    """Computes in Python for `ms` of its thread's CPU time: waiting for a CPU does not shorten it."""
    end = time.thread_time_ns() + ms * 1_000_000
    while time.thread_time_ns() < end:
        pass


def c_compute(ms):
    """Computes in C without the GIL."""
    end = time.thread_time_ns() + ms * 1_000_000
    while time.thread_time_ns() < end:
        zlib.compress(CONTENT, 1)


def hold(ms):
    """Computes in C holding the GIL: one call, which no switch interval interrupts."""
    count = int(ms * HOLD_PER_MS)
    sum(range(count))


def hold_rate():
    began = time.thread_time_ns()
    sum(range(200_000))
    return 200_000 / ((time.thread_time_ns() - began) * 1e-6)


HOLD_PER_MS = hold_rate()
COSTS = {"compute": spin, "c_compute": c_compute, "gil": hold, "sleep": lambda ms: time.sleep(ms * 1e-3)}


class Stopwatch:
    """Nanoseconds and calls of __getitem__ in this process, in a separate file that costs nothing to write."""

    def __init__(self):
        self.pid, self.sums = 0, None

    def add(self, began):
        spent = time.monotonic_ns() - began
        if self.pid != os.getpid():
            self.pid = os.getpid()
            with open(os.path.join(FOLDER, f"stopwatch-{self.pid}.int64"), "w+b") as file:
                file.truncate(16)
                self.sums = memoryview(mmap.mmap(file.fileno(), 16)).cast("q")
        self.sums[0] += spent
        self.sums[1] += 1


WATCH = Stopwatch()


class Planted(Dataset):
    classes = list("ab")

    def __init__(self, plant, ms, every, slow_ms, fields):
        self.plant, self.ms, self.every, self.slow_ms, self.fields = plant, ms, every, slow_ms, fields
        if plant == "cold":
            self.path = os.path.join(FOLDER, "cold.bin")
        if plant == "pil":
            self.images = sorted(os.path.join(FOLDER, name) for name in os.listdir(FOLDER) if name.endswith(".jpg"))

    def __len__(self):
        return 1 << 16

    def __getitem__(self, i):
        began = time.monotonic_ns()
        try:
            return self.sample(i)
        finally:
            WATCH.add(began)

    def sample(self, i):
        if self.plant == "cold":
            file = os.open(self.path, os.O_RDONLY)
            try:
                size = 4 << 20
                at = i * size % os.fstat(file).st_size
                os.posix_fadvise(file, at, size, os.POSIX_FADV_DONTNEED)
                os.pread(file, size, at)
            finally:
                os.close(file)
        elif self.plant == "pil":
            from PIL import Image
            with Image.open(self.images[i % len(self.images)]) as image:
                image.convert("RGB").resize((64, 64))
        elif self.plant in COSTS:
            COSTS[self.plant](self.slow_ms if self.every and i % self.every == self.every - 1 else self.ms)
        if self.fields > 1:
            return {f"f{n}": torch.zeros(8) for n in range(self.fields)}
        return torch.zeros(3, 8, 8), i % 2


class Stream(IterableDataset):
    """Every worker reads the whole stream unless told to share."""

    def __init__(self, ms, shared):
        self.ms, self.shared = ms, shared

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        first, step = (info.id, info.num_workers) if info and self.shared else (0, 1)
        for i in range(first, 4096, step):
            spin(self.ms)
            yield torch.full((3, 8, 8), float(i)), i % 2


COLLATE_MS = 0


def dataset(plant="none", ms=5.0, every=0, slow_ms=0.0, fields=1, collate_ms=0.0):
    global COLLATE_MS
    COLLATE_MS = collate_ms
    if plant.startswith("stream"):
        return Stream(ms, plant == "stream_shared")
    return Planted(plant, ms, every, slow_ms, fields)


def collate(samples):
    if COLLATE_MS:
        spin(COLLATE_MS)
    return default_collate(samples)
