# SPDX-License-Identifier: Apache-2.0
"""`ab` over groups of ranks with planted changes and a control: ranks_ab_test.py STEPBENCH SOURCE_DIR [TEST]..."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
del sys.argv[1:3]
PAIRS = 7
PATIENCE_S = 1200
ALLOWED = [word for what in ("noise", "load", "steal", "drift") for word in ("--allow", what)]
EXPERIMENT = """\
workload: python_script
script: {{path: {script}, args: 40 40}}
schedule: {{wait: 0, warmup: 2, active: 20}}
"""


class RanksAb(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "wait.yaml").write_text(EXPERIMENT.format(script=SOURCE / "tests/fleet/ranks_wait.py"))

    def ab(self, launcher, arguments, *options):
        environment = {**os.environ, "PATH": f"{SOURCE / '.venv/bin'}:{os.environ['PATH']}",
                       "XDG_STATE_HOME": str(self.folder / "state"), "XDG_CACHE_HOME": str(self.folder / "cache")}
        shutil.rmtree(self.folder / "results", ignore_errors=True)
        done = subprocess.run([PROGRAM, "ab", "wait.yaml", "--ranks", "2", "--launcher", launcher, "--pairs", str(PAIRS),
                               "--no-lock", "--quiet", *ALLOWED, "--set", "limits.join_s=300",
                               "--b-set", f"script.args={arguments}", *options],
                              cwd=self.folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_S)
        files = list((self.folder / "results").glob("*/verdict.json"))
        self.assertEqual(len(files), 1, done.stdout + done.stderr)
        (file,) = files
        verdict = json.loads(file.read_text())
        (case,) = verdict["cases"]
        return done, verdict, case

    def step_of(self, case):
        return next(metric for metric in case["metrics"] if metric["name"] == "step")

    def causes(self, case):
        return {(cause["phase"], *cause["ranks"]): cause["change_ns"] / 1e6 for cause in case["cause"]}

    def one_slow_rank(self, launcher):
        done, verdict, case = self.ab(launcher, "40 48 300", "--profile")
        self.assertEqual(verdict["verdict"], "regression", done.stdout + done.stderr)
        step = self.step_of(case)
        change_ms = (step["candidate_median"] - step["base_median"]) / 1e6
        print(f"{launcher}, one rank: step {change_ms:+.2f} ms, {self.causes(case)}, {case['who_waits']}")
        self.assertAlmostEqual(change_ms, 8, delta=1.6)
        self.assertAlmostEqual(self.causes(case)["forward", 1], 8, delta=0.8)
        self.assertIn(("backward", 0), self.causes(case))
        self.assertIn("before: no rank holds the others up", case["who_waits"][0])
        self.assertIn("after: rank 1 holds the others up by", case["who_waits"][1])
        peak = next(metric for metric in case["metrics"] if metric["name"] == "peak_bytes")
        self.assertAlmostEqual((peak["candidate_median"] - peak["base_median"]) / 2**20, 300, delta=15)

    def all_ranks_slow(self, launcher):
        done, verdict, case = self.ab(launcher, "48 48")
        self.assertEqual(verdict["verdict"], "regression", done.stdout + done.stderr)
        print(f"{launcher}, all ranks: {self.causes(case)}")
        self.assertAlmostEqual(self.causes(case)["forward", 0, 1], 8, delta=0.8)
        self.assertTrue(all(cause["all_ranks"] for cause in case["cause"]))
        self.assertNotIn("who_waits", case)

    def control(self, launcher):
        done, verdict, case = self.ab(launcher, "40.0 40.0")
        print(f"{launcher}, control: step {self.step_of(case)['change']:+.4f}")
        self.assertEqual(case["cause"], [], done.stdout)
        self.assertLess(abs(self.step_of(case)["change"]), 0.05)
        self.assertNotIn(verdict["verdict"], ("regression", "improvement"))

    def whole(self, launcher):
        self.one_slow_rank(launcher)
        self.all_ranks_slow(launcher)
        self.control(launcher)

    def test_local(self):
        self.whole("local")

    def test_torchrun(self):
        self.whole("torchrun")


if __name__ == "__main__":
    unittest.main()
