# SPDX-License-Identifier: Apache-2.0
"""200 epochs of loader.engine: python leave no descriptor, segment, process or memory behind: measures the training
process at the begin of an epoch, in its sampler.

    python python_epochs.py WORKER
"""
import json
import os
import statistics
import tempfile
import unittest

import python_worker

EPOCHS = 200

DATA = """
    import json, os, torch
    FOLDER = os.path.dirname(os.path.abspath(__file__))
    def children():
        found = []
        for task in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{task}/children") as file:
                found += file.read().split()
        return len(found)
    class Sampler(torch.utils.data.SequentialSampler):
        def __iter__(self):
            with open("/proc/self/statm") as file:
                pages = int(file.read().split()[1])
            held = dict(descriptors=len(os.listdir("/proc/self/fd")), processes=children(), memory=pages * 4096,
                        segments=sum(name.startswith("torch_") for name in os.listdir("/dev/shm")))
            with open(os.path.join(FOLDER, "held.jsonl"), "a") as file:
                file.write(json.dumps(held) + chr(10))
            return super().__iter__()
    class Numbers(torch.utils.data.Dataset):
        def __len__(self): return 16
        def __getitem__(self, i): return torch.zeros(3, 64, 64), i
    def dataset(): return Numbers()
    def sampler(data): return Sampler(data)
"""


class Epochs(unittest.TestCase):
    def held(self, **options):
        with tempfile.TemporaryDirectory() as folder:
            given = {"data.path": python_worker.write(folder, DATA), "schedule.active": 4 * EPOCHS} | python_worker.given(options)
            last, output = python_worker.run(folder, given, limit_s=6000)
            self.assertEqual(last["kind"], "launch", f"{last}\n{output}")
            with open(os.path.join(folder, "held.jsonl"), encoding="utf-8") as file:
                rows = [json.loads(line) for line in file]
        self.assertGreaterEqual(len(rows), EPOCHS)
        return rows

    def assert_level(self, **options):
        rows = self.held(**options)
        early, late = rows[20:60], rows[-40:]
        for what in ("descriptors", "processes", "segments"):
            self.assertLessEqual(max(row[what] for row in late), max(row[what] for row in early), what)
        grown = statistics.median(row["memory"] for row in late) - statistics.median(row["memory"] for row in early)
        print(f"{options}: {grown / 1024:+.0f} KiB in {EPOCHS - 60} epochs, {late[-1]}", flush=True)
        self.assertLess(grown, (EPOCHS - 60) * 20_000)  # a batch is 200 kB

    def test_no_workers_leak_nothing(self):
        self.assert_level()

    def test_new_workers_each_epoch_leak_nothing(self):
        self.assert_level(loader__num_workers=2)

    def test_persistent_workers_leak_nothing(self):
        self.assert_level(loader__num_workers=2, loader__persistent_workers=True)


if __name__ == "__main__":
    unittest.main()
