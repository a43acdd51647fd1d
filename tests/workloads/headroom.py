# SPDX-License-Identifier: Apache-2.0
"""stepbench run --headroom on real loaders: what is read in each case, and what is said.

    python headroom.py STEPBENCH WORKER
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

STEPBENCH, WORKER = (os.path.abspath(argument) for argument in (sys.argv.pop(1), sys.argv.pop(1)))

# Each batch that is made adds a byte to a file: read.WORKER-PROCESS
LOADER = """
import os, threading, torch

def loader(folder, threads):
    read = open(os.path.join(folder, f"read.{os.getpid()}"), "ab", buffering=0)
    if threads:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    while True:
        read.write(b".")
        yield torch.zeros(4, 3), torch.zeros(4)
"""
CONFIG = """
name: headroom
workload: loader
device: cpu
launches: 1
schedule: {wait: 0, warmup: 6, active: 20}
data: {kind: python, path: my_loader.py}
loader: {engine: iterable}
"""


class Headroom(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "my_loader.py").write_text(LOADER)
        (self.folder / "file.yaml").write_text(CONFIG)

    def run_on(self, *more, status=0):
        command = [STEPBENCH, "run", "file.yaml", "--headroom", "--worker", WORKER, "--no-lock", *more]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def batches_made(self):
        return sorted(file.stat().st_size for file in self.folder.glob("read.*"))

    def test_the_case_as_it_is_stands_beside_the_replayed_ones_and_the_answer_is_what_a_perfect_loader_saves(self):
        said = self.run_on("--set", "python.folder=.", "--set", "python.threads=true")
        self.assertIn("a perfect loader would save", said)
        self.assertNotIn("fastest so far", said)
        for replay in ("none", "stopped", "working"):
            self.assertIn(replay, said)
        stopped, *others = self.batches_made()
        self.assertEqual(stopped, 4)  # loader.replay_batches
        self.assertTrue(all(each > 4 for each in others), others)

    def test_an_iterable_without_threads_has_nothing_that_goes_on(self):
        self.run_on("--set", "python.folder=.", "--set", "python.threads=false")
        stopped, working, as_it_is = self.batches_made()
        self.assertEqual((stopped, working), (4, 4))
        self.assertGreaterEqual(as_it_is, 26)

    def test_without_workers_the_working_case_is_skipped_with_the_reason(self):
        (self.folder / "file.yaml").write_text("""
name: inline
workload: loader
device: cpu
launches: 1
schedule: {wait: 0, warmup: 6, active: 20}
data: {kind: synthetic}
loader: {num_workers: 0}
""")
        said = self.run_on()
        self.assertIn("without workers nothing goes on beside the step", said)
        self.assertIn("a perfect loader would save", said)

    def test_the_warm_up_holds_all_batches_that_are_kept(self):
        said = self.run_on("--set", "python.folder=.", "--set", "python.threads=true", "--set", "replay_batches=40",
                           "--set", "schedule.warmup=2")
        self.assertIn("perfect loader", said)
        self.assertIn(40, self.batches_made())


if __name__ == "__main__":
    unittest.main()
