# SPDX-License-Identifier: Apache-2.0
"""What commands make of real loaders, without torch: recorded arrivals, --headroom, lengths of samples, --what-if, AU.

    python loading_commands.py STEPBENCH LOADING_WORKER [CLASS[.TEST]]...
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

STEPBENCH, WORKER = (os.path.abspath(argument) for argument in (sys.argv.pop(1), sys.argv.pop(1)))


class Commands(unittest.TestCase):
    CONFIG = ""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "file.yaml").write_text(self.CONFIG)

    def call(self, *arguments, status=0):
        done = subprocess.run([STEPBENCH, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return " ".join((done.stdout + done.stderr).split()) if arguments[0] == "run" else done.stdout + done.stderr

    def run_on(self, *more, status=0):
        return self.call("run", "file.yaml", "--worker", WORKER, "--no-lock", *more, status=status)

    def measured(self, name, *more):
        """The folder of a run."""
        self.run_on("--results", name, *more)
        return str(next((self.folder / name).iterdir()))


class Arrivals(Commands):
    CONFIG = """
name: arrivals
workload: loader
device: cpu
launches: 1
schedule: {wait: 0, warmup: 6, active: 24}
data: {kind: synthetic, features: 16}
loader: {engine: thread, num_workers: 2, batch_size: 4}
"""

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
        (self.folder / "other.jsonl").write_text('{"record":"run"}\n')
        self.assertIn("is no file that --record-arrivals wrote", self.replay("other.jsonl", status=4))
        file = self.record()
        text = file.read_text()
        (self.folder / "cut.jsonl").write_text(text[:len(text) // 2])
        self.assertIn("cut off", self.replay("cut.jsonl", status=4))
        self.assertIn("this case's are of 8 samples", self.replay(file, "--set", "batch_size=8", status=4))
        self.assertIn("were recorded, and this case's are of 4 samples of float32 17",
                      self.replay(file, "--set", "data.features=17", status=4))
        self.assertIn("have no arrivals of their own", self.replay(file, "--record-arrivals", status=2))
        self.assertIn("do not fit into", self.replay(file, "--set", "replay_batches=4096", "--set", "data.fill=label",
                                                     "--set", "data.features=32000000", status=4))


class Headroom(Commands):
    CONFIG = """
name: headroom
workload: loader
device: cpu
launches: 1
schedule: {wait: 0, warmup: 6, active: 20}
data: {kind: synthetic}
"""

    def test_the_case_as_it_is_stands_beside_the_replayed_ones_and_the_answer_is_what_a_perfect_loader_saves(self):
        said = self.run_on("--headroom", "--set", "num_workers=2")
        self.assertIn("a perfect loader would save", said)
        self.assertNotIn("fastest so far", said)
        for replay in ("none", "stopped", "working"):
            self.assertIn(replay, said)

    def test_without_workers_the_working_case_is_skipped_with_the_reason(self):
        said = self.run_on("--headroom", "--set", "num_workers=0")
        self.assertIn("without workers nothing goes on beside the step", said)
        self.assertIn("a perfect loader would save", said)

    def test_the_warm_up_holds_all_batches_that_are_kept(self):
        run = self.measured("kept", "--headroom", "--set", "num_workers=0", "--set", "replay_batches=40", "--set", "schedule.warmup=2")
        cases = [case["options"] for case in json.loads(self.call("show", run, "--format", "json"))["cases"]]
        warmups = {options["loader.replay"]: options["schedule.warmup"] for options in cases}
        self.assertEqual(warmups, {"none": 2, "stopped": 42, "working": 42})


class Lengths(Commands):
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

    def setUp(self):
        super().setUp()
        (self.folder / "planted.txt").write_text("8\n32\n")
        (self.folder / "equal.txt").write_text("32\n")

    def test_planted_lengths_have_the_padding_and_the_tokens_that_arithmetic_says(self):
        said = self.run_on("--sweep", "data.lengths=planted.txt,equal.txt", "--sweep", "bucket_batches=1,2", "--sweep",
                           "engine=inline,fork", "--set", "num_workers=1", "--sweep", "num_workers=0,1")
        self.assertIn("pad [%]", said)
        (run,) = (self.folder / "results").iterdir()
        found = {}
        for case in json.loads(self.call("show", str(run), "--format", "json"))["cases"]:
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
        said = self.run_on("--set", "samples=4096", "--set", "active=8")
        self.assertIn("37.5 % of the tokens in the batches are padding", said)
        self.assertIn("Sorted by length within 64 batches, 0 % would be", said)
        self.assertNotIn("are padding", self.run_on("--set", "data.lengths=equal.txt"))

    def test_bad_input_is_refused_with_what_to_do(self):
        for words, said in ((("data.lengths=uniform", "min_length=40"), "min_length 40 is more than sequence_length 32"),
                            (("pad_to_multiple_of=5",), "no multiple of pad_to_multiple_of 5"),
                            (("min_length=4",), "needs lengths that are drawn"),
                            (("data.lengths=fixed", "bucket_batches=4"), "needs samples of different lengths"),
                            (("bucket_batches=0",), "bucket_batches"),
                            (("model.kind=bert_base",), "nothing hides the padding"),
                            (("placement=upstream",), "upstream keeps samples of one length")):
            with self.subTest(words):
                sets = [word for each in words for word in ("--set", each)]
                self.assertIn(said, self.run_on("--dry-run", *sets, status=2))
        (self.folder / "long.txt").write_text("8\n33\n")
        self.assertIn("number 1 of long.txt is 33, expected a whole number of tokens from 1 to 32",
                      self.run_on("--set", "data.lengths=long.txt", status=4))
        self.assertIn("cannot read absent.txt", self.run_on("--set", "data.lengths=absent.txt", status=4))


class WhatIf(Commands):
    """How near it comes to what is measured is tests/benchmarks/planted_what_if.py."""

    CONFIG = """
name: what-if
workload: loader
device: cpu
launches: 1
schedule: {wait: 0, warmup: 10, active: 48}
data: {kind: synthetic, features: 16}
loader: {batch_size: 4}
emulated: {step_us: 500}
"""

    def test_of_a_sweep_other_numbers_are_told_with_how_far_that_is_off(self):
        run = self.measured("sweep", "--sweep", "num_workers=0,1,2")
        said = self.call("show", run, "--what-if", "num_workers=6,1").splitlines()
        self.assertRegex(said[0], r"^1 worker would give .* \+- .*; measured: .*, so it is off by .*, from 2 workers$")
        self.assertRegex(said[1], r"^6 workers would give .* \+- .* \(not measured\), from 2 workers$")
        self.assertRegex(said[2], r"^held against what was measured: 1 worker .*, 2 workers .* in the median$")
        self.assertEqual(len(said), 3)

    def test_of_one_number_the_error_is_not_known_and_without_workers_nothing_is_told(self):
        run = self.measured("one", "--set", "num_workers=2")
        said = self.call("show", run, "--what-if", "num_workers=4")
        self.assertIn("4 workers would give", said)
        self.assertNotIn("+-", said)
        self.assertIn("how far that is off is not known", said)
        self.assertIn("nothing here can be told of", self.call("show", run, "--what-if", "num_workers=2", status=2))
        run = self.measured("none", "--set", "num_workers=0")
        self.assertIn("nothing here can be told of", self.call("show", run, "--what-if", "num_workers=4", status=2))


class Utilisation(Commands):
    """AU, the share of time in which an emulated step did not wait for data."""

    CONFIG = """
name: demand
workload: loader
device: cpu
launches: 2
schedule: {wait: 0, warmup: 4, active: 10}
data: {kind: jpeg_folder, path: set, image_size: 32}
loader: {batch_size: 4, num_workers: 1, prefetch_factor: 3, shuffle: true}
emulated: {step_us: 3000}
"""

    def setUp(self):
        super().setUp()
        self.call("data", "make", "jpeg_folder", "--images", "24", "--classes", "3", "--out", "set")

    def test_a_column_and_a_note_say_what_au_is_worth(self):
        said = " ".join(self.call("show", self.measured("note")).split())
        self.assertIn("AU [%]", said)
        self.assertIn("AU tells nothing of the storage", said)
        cold = self.measured("cold", "--set", "data.page_cache=cold")
        self.assertNotIn("AU tells nothing", " ".join(self.call("show", cold).split()))
        self.assertNotIn("AU", self.call("show", self.measured("alone", "--set", "emulated.step_us=0")))


if __name__ == "__main__":
    unittest.main()
