# SPDX-License-Identifier: Apache-2.0
"""Nights with a reference program: reference_test.py STEPBENCH STUB_WORKER DATED SOURCE_DIR [TEST]..."""
import json
import pathlib
import signal
import sys
import unittest
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from nights import Machine, signal_when_held, HOLDS  # noqa: E402

PROGRAM, STUB, DATED = (pathlib.Path(word).resolve() for word in sys.argv[1:4])


class References(unittest.TestCase):
    def setUp(self):
        self.machine = Machine(PROGRAM, STUB, DATED)
        self.addCleanup(self.machine.close)
        self.machine.experiment("nightly", launches=8)
        self.machine.commit("eight launches: four pairs")

    def night(self, status, slower=1.0, words=(), more="", weather=None):
        """Runs a night with its own program, as of a new commit."""
        if weather is not None:
            self.machine.weather = weather
        worker = self.machine.build(f"built-{self.machine.date:%m-%d}", slower, more)
        done, verdict = self.machine.verdict(worker, *words)
        self.assertEqual(done.status, status, f"{verdict['series']}\n{verdict['notes']}\n{verdict['alerts']}\n{done.err}")
        return verdict

    def launches(self):
        """Returns the launch rows of the newest night."""
        rows = []
        for file in self.machine.runs()[-1].glob("*.jsonl"):
            rows += [row for row in map(json.loads, file.read_text().splitlines()) if row["kind"] == "launch"]
        return rows

    def arms(self):
        return Counter(row["arm"] for row in self.launches())

    def steps(self, verdict):
        return [series for series in verdict["series"] if series["metric"] == "step_ns"]

    def first_nights(self, number):
        self.night(0)
        self.assertEqual(self.arms(), {"": 16}, "nothing is kept yet: all launches are tonight's")
        self.machine.ignore_memory()
        for _ in range(number - 1):
            self.night(0)

    def run_of(self, verdict):
        (run,) = verdict["runs"]
        return run

    def test_step_is_reported_and_machine_drift_is_not(self):
        self.first_nights(2)
        self.assertEqual(self.arms(), {"": 8, "reference": 8})
        turns = "".join("R" if row["arm"] else "T" for row in self.launches() if row["options"]["stub.step_us"] == 1000)
        self.assertIn(turns, ("TRRTTRRT", "RTTRRTTR"))
        verdict = self.night(0)
        self.assertEqual(self.run_of(verdict)["reference_run"][:8], "20260201")
        self.assertIn("reference", self.machine.run("show", str(self.machine.runs()[-1]), status=0).out)
        self.assertEqual(self.night(0, weather=1.08)["alerts"], [], "a machine that is slower is quiet")
        self.machine.torch = "2.11.0"
        self.assertEqual(self.night(0, weather=1.08)["alerts"], [])
        verdict = self.night(1, slower=1.05, weather=1.08 / 1.05)
        (alert,) = verdict["alerts"]
        self.assertEqual(alert["state"], "open", "though the machine hides it")
        for series in alert["series"]:
            self.assertAlmostEqual(series["change"], 0.05, places=2)
        for series in self.steps(self.night(1, slower=1.05, weather=1.3)):
            self.assertEqual(series["state"], "regression")

    def test_failing_reference_is_replaced_after_two_nights(self):
        broken = self.machine.folder / "broken"
        more = f"if [ -e '{broken}' ]; then case $1 in --control*) exit 9;; esac; fi"
        self.night(0, more=more)
        self.machine.ignore_memory()
        self.night(0)
        broken.touch()
        verdict = self.night(4)
        self.assertEqual(self.run_of(verdict)["why"], "reference-fails")
        self.assertRegex("\n".join(verdict["notes"]), "of the reference program failed")
        self.assertLessEqual(self.arms()["reference"], 8, "it is not tried again and again")
        self.assertEqual(self.arms()[""], 8, "tonight's are all measured")
        verdict = self.night(0)
        self.assertEqual(self.run_of(verdict)["reference_run"], self.run_of(verdict)["run_id"], "a new one")
        self.night(0)
        self.assertEqual(self.run_of(self.night(1, slower=1.2))["why"], "measured", "what comes after it is found")

    def test_unstartable_reference_is_replaced_at_once(self):
        broken = self.machine.folder / "broken"
        more = f"if [ -e '{broken}' ]; then case $1 in --control*) exit 9;; esac; fi"
        self.night(0, more=more)
        self.machine.ignore_memory()
        self.night(0)
        broken.touch()
        self.machine.torch = "2.11.0"
        worker = self.machine.build("built-anew")
        done, verdict = self.machine.verdict(worker)
        self.assertEqual(self.run_of(verdict)["reference_run"], self.run_of(verdict)["run_id"], done)
        self.assertEqual(self.run_of(self.night(0))["why"], "measured")

    def test_different_result_is_reported_and_judged(self):
        self.first_nights(3)
        other = "export STUB_LOSS=0.7"
        verdict = self.night(1, slower=1.2, more=other)
        self.assertRegex("\n".join(verdict["notes"]),
                         "in 2 cases tonight's program computes something else than the reference: .* loss 0.5 and 0.7 differ")
        (alert,) = verdict["alerts"]
        self.assertEqual(len(alert["series"]), 2)

    def test_baseline_begins_with_the_next_nights_program(self):
        self.first_nights(3)
        self.machine.run("track", "note", self.machine.runs()[-1].name, "--as", "baseline", "measured otherwise", status=0)
        verdict = self.night(0, slower=1.2)
        self.assertEqual(self.run_of(verdict)["why"], "baseline")
        self.night(0, slower=1.2)
        self.night(1, slower=1.3)

    def test_control_case_keeps_all_launches(self):
        self.machine.experiment("nightly", "    - {stub.step_us: 1000}\n    - {stub.step_us: 3000, track.control: true}\n", 8)
        self.machine.commit("a control case")
        self.night(0)
        self.machine.ignore_memory()
        self.night(0)
        self.assertEqual(self.arms(), {"": 4 + 8, "reference": 4})

    def test_failed_pair_is_measured_again(self):
        self.first_nights(2)
        flaky = self.machine.folder / "flaky"
        more = f"case $1 in --control*) if [ ! -e '{flaky}' ]; then touch '{flaky}'; exit 9; fi;; esac"
        worker = self.machine.build("flaky-worker", more=more)
        self.machine.verdict(worker, status=0)
        rows = self.launches()
        self.assertEqual(sum(row["outcome"] == "failed" for row in rows), 1)
        self.assertEqual(len(rows), 8 + 8 + 2, "the pair, as a whole")

    def test_killed_night_resumes_without_repeats(self):
        self.first_nights(2)
        hold = self.machine.folder / "held-hold"
        worker = self.machine.build("held", more=HOLDS.format(hold=hold, launch=3))
        signal_when_held(self.machine, worker, hold, signal.SIGKILL)
        self.machine.verdict(worker, status=0)
        keys = Counter((row["case_id"], row["arm"], row["launch"]) for row in self.launches())
        self.assertEqual(len(keys), 16)
        self.assertLessEqual(keys.total(), 16 + 1, "half a pair is measured again as a whole")
        self.assertEqual(len(self.machine.runs()), 3)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *(f"References.test_{name}" for name in sys.argv[5:])])
