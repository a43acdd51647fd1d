# SPDX-License-Identifier: Apache-2.0
"""stepbench run --record-arrivals on a real loader, and what loader.replay: recorded takes of it.

    python arrivals.py STEPBENCH WORKER
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

STEPBENCH, WORKER = (os.path.abspath(argument) for argument in (sys.argv.pop(1), sys.argv.pop(1)))

CONFIG = """
name: arrivals
workload: loader
device: cpu
launches: 1
schedule: {wait: 0, warmup: 6, active: 24}
data: {kind: synthetic, features: 16}
loader: {engine: thread, num_workers: 2, batch_size: 4}
"""


class Arrivals(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "file.yaml").write_text(CONFIG)

    def run_on(self, *more, status=0):
        command = [STEPBENCH, "run", "file.yaml", "--worker", WORKER, "--no-lock", *more]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def record(self):
        said = self.run_on("--record-arrivals")
        self.assertIn("Arrivals: results/", said)
        self.assertIn("--set loader.replay=recorded --set loader.arrivals=FILE", said)
        (file,) = self.folder.glob("results/*/arrivals/*.jsonl")
        return file

    def replay(self, file, *more, status=0):
        return self.run_on("--set", "loader.replay=recorded", "--set", f"loader.arrivals={file}", *more, status=status)

    def test_what_was_recorded_is_played_back_beside_the_loader_and_the_answer_is_how_near_it_comes(self):
        file = self.record()
        head, *batches = [json.loads(line) for line in file.read_text().splitlines()]
        self.assertEqual(head["batches"], len(batches))
        self.assertEqual((head["engine"], head["ahead"]), ("thread", 4))
        self.assertGreaterEqual(sum(batch.get("window", False) for batch in batches), 24)
        self.assertEqual({batch["bytes"] for batch in batches}, {4 * (16 * 4 + 8)})
        said = self.run_on("--set", f"loader.arrivals={file}", "--sweep", "loader.replay=none,recorded")
        self.assertIn("replayed arrivals give", said)
        self.assertIn("where the loader gives", said)
        self.assertNotIn("fastest", said)

    def test_a_recording_alone_changes_no_case(self):
        plain = self.run_on("--dry-run", "--set", "launches=2")
        self.assertEqual(plain, self.run_on("--dry-run", "--set", "launches=2", "--record-arrivals"))

    def test_bad_input_is_refused_with_what_to_do(self):
        self.assertIn("needs the file of a recording", self.run_on("--set", "loader.replay=recorded", status=2))
        self.assertIn("absent.jsonl", self.replay("absent.jsonl", status=2))
        self.assertIn("replay: recorded", self.run_on("--set", "loader.arrivals=file.yaml", status=2))
        self.assertIn("is no file that --record-arrivals wrote", self.replay("other.jsonl", status=4) if (
            self.folder / "other.jsonl").write_text('{"record":"run"}\n') else "")
        file = self.record()
        text = file.read_text()
        (self.folder / "cut.jsonl").write_text(text[:len(text) // 2])
        self.assertIn("cut off", self.replay("cut.jsonl", status=4))
        self.assertIn("this case's are of 8 samples", self.replay(file, "--set", "batch_size=8", status=4))
        self.assertIn("were recorded, and this case's are of 4 samples of float32 17",
                      self.replay(file, "--set", "data.features=17", status=4))
        self.assertIn("have no arrivals of their own", self.replay(file, "--record-arrivals", status=2))

    def test_more_than_memory_is_refused(self):
        file = self.record()
        self.assertIn("do not fit into", self.replay(file, "--set", "replay_batches=4096", "--set", "data.fill=label",
                                                     "--set", "data.features=32000000", status=4))


if __name__ == "__main__":
    unittest.main()
