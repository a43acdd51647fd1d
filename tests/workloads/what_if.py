# SPDX-License-Identifier: Apache-2.0
"""show --what-if on real loaders: what it says and of what it says nothing. How near it comes to what is measured is
tests/benchmarks/planted_what_if.py.

    python what_if.py STEPBENCH WORKER
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

STEPBENCH, WORKER = (os.path.abspath(argument) for argument in (sys.argv.pop(1), sys.argv.pop(1)))

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


class WhatIf(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "file.yaml").write_text(CONFIG)

    def call(self, *arguments, status=0):
        done = subprocess.run([STEPBENCH, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def measured(self, name, *more):
        self.call("run", "file.yaml", "--worker", WORKER, "--no-lock", "--results", name, *more)
        return str(next((self.folder / name).iterdir()))

    def test_of_a_sweep_other_numbers_are_told_with_how_far_that_is_off(self):
        run = self.measured("sweep", "--sweep", "num_workers=0,1,2")
        said = self.call("show", run, "--what-if", "num_workers=6,1").splitlines()
        self.assertRegex(said[0], r"^1 worker would give .* \+- .*; measured: .*, so it is off by .*, from 2 workers$")
        self.assertRegex(said[1], r"^6 workers would give .* \+- .* \(not measured\), from 2 workers$")
        self.assertRegex(said[2], r"^held against what was measured: 1 worker .*, 2 workers .* in the median$")
        self.assertEqual(len(said), 3)

    def test_of_one_number_the_error_is_not_known(self):
        run = self.measured("one", "--set", "num_workers=2")
        said = self.call("show", run, "--what-if", "num_workers=4")
        self.assertIn("4 workers would give", said)
        self.assertNotIn("+-", said)
        self.assertIn("how far that is off is not known", said)
        self.assertIn("nothing here can be told of", self.call("show", run, "--what-if", "num_workers=2", status=2))

    def test_without_workers_nothing_is_told(self):
        run = self.measured("none", "--set", "num_workers=0")
        self.assertIn("nothing here can be told of", self.call("show", run, "--what-if", "num_workers=4", status=2))


if __name__ == "__main__":
    unittest.main()
