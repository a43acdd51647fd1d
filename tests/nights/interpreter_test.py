# SPDX-License-Identifier: Apache-2.0
"""Nights of a script with two versions of torch, on a real clock:
interpreter_test.py STEPBENCH STUB_WORKER DATED SOURCE_DIR [TEST]..."""
import json
import pathlib
import sys
import unittest
from datetime import timedelta

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from nights import Machine  # noqa: E402

PROGRAM, STUB, DATED = (pathlib.Path(word).resolve() for word in sys.argv[1:4])


class Interpreters(unittest.TestCase):
    def setUp(self):
        self.machine = Machine(PROGRAM, STUB, DATED)
        self.addCleanup(self.machine.close)

    def step(self, verdict):
        (step,) = (series for series in verdict["series"] if series["metric"] == "step_ns")
        return step

    def test_other_interpreter_is_another_program(self):
        """In the old environment a step takes 2 ms, in the new one 25 % more, which is reported. The old one again is
        the reference program, which leaves the alert to a measurement or a person."""
        folder = self.machine.folder
        (folder / "step.py").write_text("import os, time\nfrom stepbench_worker import measure\n"
                                        "for _ in measure(range(500)):\n    time.sleep(float(os.environ['STEP_S']))\n")
        (folder / "nightly.yaml").write_text("name: nightly\nworkload: python_script\nscript: {path: step.py}\n"
                                             "launches: 8\nschedule: {warmup: 2, active: 100}\n")
        self.machine.git("add", "--force", "step.py")
        self.machine.commit("a script")
        states = []
        for environment, step_s in (("old", 0.002), ("new", 0.0025), ("old", 0.002)):
            python = folder / environment / "bin" / "python"
            torch = folder / environment / f"torch-{environment}.dist-info"
            torch.mkdir(parents=True, exist_ok=True)
            version = 1 if environment == "old" else 2
            (torch / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n")
            python.parent.mkdir(parents=True, exist_ok=True)
            python.write_text(f"#!/bin/sh\nexport STEP_S={step_s} PYTHONPATH={torch.parent}:$PYTHONPATH\n"
                              f"exec {sys.executable} \"$@\"\n")
            python.chmod(0o755)
            self.machine.variables = {"VIRTUAL_ENV": str(folder / environment)}
            done = self.machine.run("nightly", "nightly.yaml", "--no-lock", "--quiet", "--format", "json")
            verdict = json.loads(done.out)
            states.append((verdict["runs"][0]["why"], self.step(verdict)["state"]))
            if environment == "new":
                self.assertAlmostEqual(self.step(verdict)["change"], 0.25, delta=0.05)
                self.assertEqual(verdict["runs"][0]["environment"], [], "the reference ran in its own")
                self.assertIn("torch 1) and", " ".join(self.machine.run("track", "show", "A1").out.split()))
            self.machine.date += timedelta(days=1)
        self.assertEqual(states[0][0], "no-reference")
        self.assertEqual(states[1:], [("measured", "regression"), ("same-program", "regression")])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *(f"Interpreters.test_{name}" for name in sys.argv[5:])])
