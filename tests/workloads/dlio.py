# SPDX-License-Identifier: Apache-2.0
"""A measured case as a workload of DLIO, read back by a YAML reader and held against the keys that DLIO documents.

    python dlio.py STEPBENCH WORKER
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import unittest

import yaml

STEPBENCH, WORKER = (os.path.abspath(argument) for argument in (sys.argv.pop(1), sys.argv.pop(1)))

# docs/source/config.rst of dlio_benchmark, and for lengths in bytes the keys that its LoadConfig reads.
DOCUMENTED = {
    "model": {"name": str},
    "workflow": {"generate_data": bool, "train": bool, "checkpoint": bool},
    "dataset": {"data_folder": str, "format": str, "num_files_train": int, "num_samples_per_file": int,
                "record_length_bytes": int, "record_length_bytes_stdev": int},
    "reader": {"data_loader": str, "batch_size": int, "read_threads": int, "prefetch_size": int, "pin_memory": bool,
               "file_shuffle": str, "sample_shuffle": str},
    "train": {"epochs": int, "computation_time": float, "computation_time_stdev": float},
    "metric": {"au": float},
}
IMAGES = 24
CONFIG = """
name: demand
workload: loader
device: cpu
launches: 2
schedule: {wait: 0, warmup: 4, active: 10}
data: {DATA}
loader: {batch_size: 4, num_workers: 1, prefetch_factor: 3, shuffle: true}
emulated: {step_us: 3000}
"""


class Dlio(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.call("data", "make", "jpeg_folder", "--images", str(IMAGES), "--classes", "3", "--out", "set")

    @classmethod
    def call(cls, *arguments, status=0):
        done = subprocess.run([STEPBENCH, *arguments], cwd=cls.folder, capture_output=True, text=True, timeout=600)
        if done.returncode != status:
            raise AssertionError(f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def measured(self, name, *more, data="kind: jpeg_folder, path: set, image_size: 32"):
        (self.folder / "file.yaml").write_text(CONFIG.replace("DATA", data))
        self.call("run", "file.yaml", "--worker", WORKER, "--no-lock", "--results", name, *more)
        return str(next((self.folder / name).iterdir()))

    def test_every_key_is_one_that_dlio_documents_and_says_what_was_measured(self):
        run = self.measured("one")
        self.call("export", run, "--format", "dlio", "--output", "workload.yaml")
        said = yaml.safe_load((self.folder / "workload.yaml").read_text())
        self.assertEqual(said.pop("framework"), "pytorch")
        self.assertEqual(said.keys(), DOCUMENTED.keys())
        for section, keys in DOCUMENTED.items():
            self.assertEqual(said[section].keys(), keys.keys(), section)
            for key, kind in keys.items():
                self.assertIs(type(said[section][key]), kind, f"{section}.{key}")
        sizes = [file.stat().st_size for file in (self.folder / "set").rglob("*.jpg")]
        self.assertEqual(said["model"]["name"], "demand")
        self.assertEqual(said["workflow"], {"generate_data": False, "train": True, "checkpoint": False})
        self.assertEqual(said["dataset"]["format"], "jpeg")
        self.assertEqual(said["dataset"]["data_folder"], "set")
        self.assertEqual(said["dataset"]["num_files_train"], IMAGES)
        self.assertEqual(said["dataset"]["num_samples_per_file"], 1)
        self.assertEqual(said["dataset"]["record_length_bytes"], round(statistics.mean(sizes)))
        self.assertEqual(said["dataset"]["record_length_bytes_stdev"], round(statistics.stdev(sizes)))
        self.assertEqual(said["reader"], {"data_loader": "pytorch", "batch_size": 4, "read_threads": 1, "prefetch_size": 3,
                                          "pin_memory": False, "file_shuffle": "seed", "sample_shuffle": "seed"})
        self.assertGreaterEqual(said["train"]["computation_time"], 0.003)
        self.assertEqual(said["metric"], {"au": 0.9})

    def test_of_several_cases_one_is_asked_for_and_each_has_its_own(self):
        run = self.measured("two", "--sweep", "num_workers=0,1")
        self.assertIn("choose one", self.call("export", run, "--format", "dlio", status=2))
        lines = self.call("show", run, "--format", "csv").splitlines()
        ids = [line.split(",")[lines[0].split(",").index("case_id")] for line in lines[1:3]]
        threads = [yaml.safe_load(self.call("export", run, "--format", "dlio", "--case", each))["reader"]["read_threads"]
                   for each in ids]
        self.assertEqual(sorted(threads), [0, 1])
        self.assertIn("no case begins", self.call("export", run, "--format", "dlio", "--case", "zzzz", status=2))

    def test_synthetic_data_are_synthetic_there_and_other_kinds_are_refused(self):
        run = self.measured("synthetic", data="kind: synthetic, samples: 40, features: 25")
        said = yaml.safe_load(self.call("export", run, "--format", "dlio"))
        self.assertEqual(said["dataset"]["format"], "synthetic")
        self.assertEqual(said["dataset"]["record_length_bytes"], 4 * 25 + 8)
        self.assertEqual(said["dataset"]["num_samples_per_file"], 40)
        run = self.measured("tokens", data="kind: synthetic_tokens")
        self.assertIn("no format for the files of data.kind synthetic_tokens",
                      self.call("export", run, "--format", "dlio", status=2))

    def test_a_column_and_a_note_say_what_au_is_worth(self):
        run = self.measured("note")
        said = " ".join(self.call("show", run).split())
        self.assertIn("AU [%]", said)
        self.assertIn("AU tells nothing of the storage", said)
        cold = self.measured("shaped", "--set", "data.storage_latency_us=100")
        self.assertNotIn("AU tells nothing", " ".join(self.call("show", cold).split()))
        alone = self.measured("alone", "--set", "emulated.step_us=0")
        self.assertNotIn("AU", self.call("show", alone))


if __name__ == "__main__":
    unittest.main()
