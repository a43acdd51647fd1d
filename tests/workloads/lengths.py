# SPDX-License-Identifier: Apache-2.0
"""Samples of different lengths through the real command: the share of padding is that of arithmetic, sorted by length,
mixed and of one length.

    python lengths.py STEPBENCH WORKER
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
name: lengths
workload: train_step
device: cpu
launches: 1
threads: {intra_op: 1}
schedule: {wait: 0, warmup: 0, active: 16}
data: {kind: synthetic_tokens, samples: 64, sequence_length: 32, vocabulary: 64, lengths: planted.txt}
loader: {batch_size: 4}
model: {kind: gpt, size: tiny}
optimizer: {kind: sgd, lr: 0.1}
"""


class Lengths(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "file.yaml").write_text(CONFIG)
        (self.folder / "planted.txt").write_text("8\n32\n")
        (self.folder / "equal.txt").write_text("32\n")

    def call(self, *command, status=0):
        done = subprocess.run([STEPBENCH, *command], cwd=self.folder, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def run_on(self, *more, status=0):
        return self.call("run", "file.yaml", "--worker", WORKER, "--no-lock", *more, status=status)

    def test_planted_lengths_have_the_padding_and_the_tokens_that_arithmetic_says(self):
        said = self.run_on("--sweep", "data.lengths=planted.txt,equal.txt", "--sweep", "bucket_batches=1,2", "--sweep",
                           "engine=inline,fork", "--set", "num_workers=1", "--sweep", "num_workers=0,1")
        self.assertIn("pad [%]", said)
        (run,) = (self.folder / "results").iterdir()
        cases = json.loads(self.call("show", str(run), "--format", "json"))["cases"]
        found = {}
        for case in cases:
            options = case["options"]
            if case["outcome"] == "skipped":  # inline, with a worker
                continue
            key = options["data.lengths"], options.get("loader.bucket_batches", 1)
            tokens = round(case["tokens_per_s"] * case["step_ns"] * 1e-9)
            found.setdefault(key, set()).add((case["padding_share"], tokens))
        self.assertEqual(found, {
            ("planted.txt", 1): {(0.375, 80)},  # of 4 x 32 tokens 80 are none of padding, in each batch
            ("planted.txt", 2): {(0, 80)},  # 4 x 8 and 4 x 32 in turns
            ("equal.txt", 1): {(0, 128)},
            ("equal.txt", 2): {(0, 128)},
        })

    def test_the_finding_says_what_sorting_would_leave(self):
        said = " ".join(self.run_on("--set", "samples=4096", "--set", "active=8").split())
        self.assertIn("37.5 % of the tokens in the batches are padding", said)
        self.assertIn("Sorted by length within 64 batches, 0 % would be", said)
        self.assertNotIn("are padding", self.run_on("--set", "data.lengths=equal.txt"))

    def test_bad_input_is_refused_with_what_to_do(self):
        plan = lambda *more: " ".join(self.run_on("--dry-run", *more, status=2).split())
        self.assertIn("min_length 40 is more than sequence_length 32",
                      plan("--set", "data.lengths=uniform", "--set", "min_length=40"))
        self.assertIn("no multiple of pad_to_multiple_of 5", plan("--set", "pad_to_multiple_of=5"))
        self.assertIn("needs lengths that are drawn", plan("--set", "min_length=4"))
        self.assertIn("needs samples of different lengths",
                      plan("--set", "data.lengths=fixed", "--set", "bucket_batches=4"))
        self.assertIn("bucket_batches", plan("--set", "bucket_batches=0"))
        self.assertIn("nothing hides the padding", plan("--set", "model.kind=bert_base"))
        self.assertIn("upstream keeps samples of one length", plan("--set", "placement=upstream"))
        (self.folder / "long.txt").write_text("8\n33\n")
        said = " ".join(self.run_on("--set", "data.lengths=long.txt", status=4).split())
        self.assertIn("number 1 of long.txt is 33, expected a whole number of tokens from 1 to 32", said)
        self.assertIn("cannot read absent.txt", " ".join(self.run_on("--set", "data.lengths=absent.txt", status=4).split()))


if __name__ == "__main__":
    unittest.main()
