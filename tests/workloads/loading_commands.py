# SPDX-License-Identifier: Apache-2.0
"""Output of commands on real loaders, without torch: --headroom, lengths of samples, AU.

    python loading_commands.py STEPBENCH LOADING_WORKER [CLASS[.TEST]]...

Without a class all but IdleMachineHeadroom, which the night runs alone on the machine.
"""
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

STEPBENCH, WORKER = (os.path.abspath(argument) for argument in (sys.argv.pop(1), sys.argv.pop(1)))


@contextlib.contextmanager
def one_core():
    """Limits programs started inside to one core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


class Commands(unittest.TestCase):
    CONFIG = ""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=".")  # the build folder: a temporary one may be in memory
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        (self.folder / "file.yaml").write_text(self.CONFIG)

    def call(self, *arguments, status=0):
        done = subprocess.run([STEPBENCH, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return " ".join((done.stdout + done.stderr).split()) if arguments[0] == "run" else done.stdout + done.stderr

    def run_on(self, *more, status=0):
        return self.call("run", "file.yaml", "--worker", WORKER, "--no-lock", *more, status=status)

    def measured(self, name, *more):
        """Returns the folder of a run."""
        self.run_on("--results", name, *more)
        return str(next((self.folder / name).iterdir()))


class HeadroomOfALoader(Commands):
    CONFIG = """
name: headroom
workload: loader
device: cpu
launches: 1
schedule: {wait: 0, warmup: 6, active: 20}
data: {kind: synthetic}
"""

    WAITING_LOADER = ("--set", "data.cost=sleep", "--set", "data.cost_us=30000", "--set", "emulated.step_us=10000", "--set",
                      "num_workers=0")

    def parts(self, *more):
        """Returns the parts of one case in ms: saved, waiting, shared, the loader alone, the step alone, both;
        without a saving only the last three."""
        said = self.run_on("--headroom", *more)
        self.assertNotIn("fastest so far", said)
        ms = {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}
        found = re.search(r"a perfect loader would save .* both [0-9.]+ \w+", said)
        self.assertTrue(found, said)
        return [float(number) * ms[unit] for number, unit in re.findall(r"([0-9.]+) (ns|us|ms|s)\b", found[0])]


class Headroom(HeadroomOfALoader):
    def test_parts_sum_to_the_whole(self):
        # A sleep is never shorter than planted; how much longer it is depends on the machine.
        saved, waiting, shared, loader, step, both = self.parts(*self.WAITING_LOADER)
        self.assertGreaterEqual(loader, 29.9)
        self.assertGreaterEqual(step, 9.9)
        self.assertGreaterEqual(both, 39.9)
        # Three digits are printed.
        rounded = max(0.2, 0.02 * both)
        self.assertAlmostEqual(saved, both - step, delta=rounded)
        self.assertAlmostEqual(waiting + shared, saved, delta=rounded)

    def test_warmup_covers_all_kept_batches(self):
        run = self.measured("kept", "--headroom", "--set", "num_workers=0", "--set", "schedule.warmup=2")
        cases = [case["options"] for case in json.loads(self.call("show", run, "--format", "json"))["cases"]]
        warmups = {options["loader.alone"]: options["schedule.warmup"] for options in cases}
        self.assertEqual(warmups, {"none": 2, "loader": 2, "step": 6})


class IdleMachineHeadroom(HeadroomOfALoader):
    """Sizes of planted causes: right only where nothing else takes the cores."""

    def test_awaited_loader_is_reported_as_waiting(self):
        saved, waiting, _, loader, step, both = self.parts(*self.WAITING_LOADER)
        self.assertAlmostEqual(loader, 30, delta=6)
        self.assertAlmostEqual(step, 10, delta=3)
        self.assertAlmostEqual(both, 40, delta=8)
        self.assertGreater(waiting, 0.9 * saved)

    def test_loader_on_the_core_is_reported_as_sharing(self):
        with one_core():
            saved, waiting, shared, loader, step, both = self.parts(
                "--set", "data.cost=spin", "--set", "data.cost_us=8000", "--set", "emulated.step_us=10000", "--set",
                "emulated.where=spin", "--set", "num_workers=1")
        self.assertGreater(both, 0.8 * (loader + step))
        self.assertAlmostEqual(waiting + shared, saved, delta=0.2)
        self.assertGreater(shared, 0.6 * saved)

    def test_fast_loader_has_no_headroom(self):
        numbers = self.parts("--set", "emulated.step_us=10000", "--set", "num_workers=2")
        loader, step, both = numbers[-3:]
        self.assertLess(loader, 5)
        self.assertAlmostEqual(both, step, delta=3)


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

    def test_planted_lengths_have_the_computed_padding(self):
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
            ("planted.txt", 1): {(0.375, 80)},  # 80 of 4 x 32 tokens are real in each batch
            ("planted.txt", 2): {(0, 80)},  # 4 x 8 and 4 x 32 alternating
            ("equal.txt", 1): {(0, 128)},
            ("equal.txt", 2): {(0, 128)},
        })

    def test_finding_states_the_padding_after_sorting(self):
        said = self.run_on("--set", "samples=4096", "--set", "active=8")
        self.assertIn("37.5 % of the tokens in the batches are padding", said)
        self.assertIn("Sorted by length within 64 batches, 0 % would be", said)
        self.assertNotIn("are padding", self.run_on("--set", "data.lengths=equal.txt"))

    def test_bad_input_is_refused_with_the_remedy(self):
        for words, said in ((("data.lengths=uniform", "min_length=40"), "min_length 40 is more than sequence_length 32"),
                            (("pad_to_multiple_of=5",), "not a multiple of pad_to_multiple_of 5"),
                            (("bucket_batches=0",), "bucket_batches"),
                            (("model.kind=bert_base",), "nothing hides the padding"),
                            (("placement=upstream",), "upstream keeps samples of one length")):
            with self.subTest(words):
                sets = [word for each in words for word in ("--set", each)]
                self.assertIn(said, self.run_on("--dry-run", *sets, status=2))
        self.assertIn("no effect here: loader.bucket_batches without data.lengths other than fixed",
                      self.run_on("--dry-run", "--set", "data.lengths=fixed", "--set", "bucket_batches=4"))
        self.assertIn("no effect here: data.min_length without data.lengths: uniform",
                      self.run_on("--dry-run", "--set", "min_length=4"))
        (self.folder / "long.txt").write_text("8\n33\n")
        self.assertIn("number 1 of long.txt is 33, expected a whole number of tokens from 1 to 32",
                      self.run_on("--set", "data.lengths=long.txt", status=4))
        self.assertIn("cannot read absent.txt", self.run_on("--set", "data.lengths=absent.txt", status=4))


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

    def test_column_and_note_explain_au(self):
        said = " ".join(self.call("show", self.measured("note")).split())
        self.assertIn("AU [%]", said)
        self.assertIn("AU tells nothing of the storage", said)
        self.assertNotIn("AU", self.call("show", self.measured("alone", "--set", "emulated.step_us=0")))

    def test_cold_cache_has_no_note(self):
        cold = ["--set", "data.page_cache=cold", "--results", "cold"]
        if subprocess.run(["stat", "-f", "-c", "%T", self.folder], capture_output=True, text=True, check=True).stdout.strip() == "tmpfs":
            self.assertIn("it lies on tmpfs", self.run_on(*cold, status=4))
            self.skipTest("the build folder lies on tmpfs")
        self.run_on(*cold)
        self.assertNotIn("AU tells nothing", " ".join(self.call("show", str(next((self.folder / "cold").iterdir()))).split()))


if __name__ == "__main__":
    unittest.main(defaultTest=None if sys.argv[1:] else ["Headroom", "Lengths", "Utilisation"])
