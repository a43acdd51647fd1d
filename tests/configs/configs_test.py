# SPDX-License-Identifier: Apache-2.0
"""Every file of configs/: configs_test.py STEPBENCH WORKER|none SOURCE_DIR. Each is planned, and its first and last
case are measured for one step by a worker that is forked from one Python; groups of ranks are not measured."""
import json
import pathlib
import subprocess
import sys
import unittest

STEPBENCH, WORKER, SOURCE = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
del sys.argv[1], sys.argv[2:3]
sys.path.append(str(SOURCE / "tests/workloads"))
from python_worker import Warmed  # noqa: E402, takes WORKER

SHORT = {"schedule.wait": 0, "schedule.warmup": 0, "schedule.active": 1, "schedule.repeat": 1}


class Configs(Warmed):
    def test_each_config_plans_measurable_cases(self):
        files = sorted((SOURCE / "configs").glob("*.yaml"))
        self.assertGreater(len(files), 20)
        measured = 0
        for file in files:
            with self.subTest(file.stem):
                done = subprocess.run([STEPBENCH, "plan", file, "--smoke", "--format", "json"], cwd=self.folder,
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                cases = [case for case in json.loads(done.stdout)["cases"] if not case.get("skip")]
                if not cases:  # all of them want a GPU
                    continue
                if WORKER == "none" or cases[0]["options"].get("distributed.ranks", 1) > 1:
                    continue
                kinds = set()
                for case in (cases[0], cases[-1]):
                    last = self.ran({"data.kind": None, "loader.engine": None} | case["options"] | SHORT, case["workload"], smoke=True, run_dir=str(self.folder))
                    self.assertIn(last.get("kind"), ("launch", "skipped"), f"{case}\n{last}\n{self.output}")
                    kinds.add(last["kind"])
                self.assertIn("launch", kinds)
                measured += 1
        self.assertGreater(measured, 15 if WORKER != "none" else -1)


if __name__ == "__main__":
    unittest.main()
