# SPDX-License-Identifier: Apache-2.0
"""Nights beside a reference program: reference_test.py STEPBENCH STUB_WORKER DATED SOURCE_DIR [TEST]..."""
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
        self.machine.commit("eight launches, which can be halved")

    def night(self, status, slower=1.0, words=(), more="", weather=None):
        """With a program of its own, as a new commit gives one."""
        if weather is not None:
            self.machine.weather = weather
        worker = self.machine.build(f"built-{self.machine.date:%m-%d}", slower, more)
        done, verdict = self.machine.verdict(worker, *words)
        self.assertEqual(done.status, status, f"{verdict['series']}\n{verdict['notes']}\n{verdict['alerts']}\n{done.err}")
        return verdict

    def launches(self):
        """Of the newest night: how many of each arm."""
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

    def test_a_step_is_told_and_a_machine_that_moves_is_not(self):
        self.first_nights(2)
        self.assertEqual(self.arms(), {"": 8, "reference": 8})
        turns = "".join("R" if row["arm"] else "T" for row in self.launches() if row["options"]["stub.step_us"] == 1000)
        self.assertIn(turns, ("TRRTTRRT", "RTTRRTTR"))
        verdict = self.night(0)
        self.assertRegex("\n".join(verdict["notes"]),
                         "measured in turns with the reference program of 2026-02-01 .build [0-9a-f]{8}.: what moved")
        self.assertIn("reference", self.machine.run("show", str(self.machine.runs()[-1]), status=0).out)
        self.assertEqual(self.night(0, weather=1.08)["alerts"], [], "a machine that is slower is quiet")
        self.machine.torch = "2.11.0"
        for series in self.steps(self.night(0, weather=1.08)):
            self.assertRegex(series["why"], r"it did \+[78]\.\d+ %, tonight's program [+-]0\.\d+ %")
        self.assertEqual(list((self.machine.folder / "results").glob("*-confirm*")), [], "nothing is measured again")
        verdict = self.night(1, slower=1.05, weather=1.08 / 1.05)
        (alert,) = verdict["alerts"]
        self.assertEqual(alert["state"], "regression", "though the machine hides it")
        for series in alert["series"]:
            self.assertAlmostEqual(series["measured"][0]["change"], 0.05, places=2)
        for series in self.steps(verdict) + self.steps(self.night(1, slower=1.05, weather=1.3)):
            self.assertEqual(series["state"], "regression")
            self.assertAlmostEqual(series["change"], 0.05, places=2)

    def test_where_the_kept_program_no_longer_starts_the_night_goes_on_and_says_so(self):
        broken = self.machine.folder / "broken"
        more = f"if [ -e '{broken}' ]; then case $1 in --control*) exit 9;; esac; fi"
        self.night(0, more=more)
        self.machine.ignore_memory()
        self.night(0)
        broken.touch()
        verdict = self.night(0)
        self.assertRegex("\n".join(verdict["notes"]), "no reference program: 4 of 4 launches of the kept program failed")
        self.assertEqual(self.arms(), {"": 16, "reference": 4}, "four in a row are enough; tonight's are all measured")

    def test_a_kept_program_that_computes_something_else_is_said_and_blames_nobody(self):
        self.first_nights(3)
        other = "export STUB_LOSS=0.7"
        verdict = self.night(0, slower=1.2, more=other)
        self.assertRegex("\n".join(verdict["notes"]),
                         "in 2 cases the kept program computes something else: .* loss 0.5 and 0.7 differ")
        for _ in range(4):
            verdict = self.night(0, slower=1.2, more=other)
        self.assertRegex("\n".join(verdict["notes"]), "reference program of 2026-02-04", "another one, and ratios again")
        self.assertEqual([alert for alert in verdict["alerts"] if alert["state"] == "regression"], [])
        verdict = self.night(1, slower=1.3, more=other)
        (alert,) = [alert for alert in verdict["alerts"] if alert["state"] == "regression"]
        self.assertEqual(len(alert["series"]), 2, "and what comes after it is found")

    def test_the_control_case_and_who_asks_for_none_keep_all_launches(self):
        self.machine.experiment("nightly", "    - {stub.step_us: 1000}\n    - {stub.step_us: 3000, track.control: true}\n", 8)
        self.machine.commit("a control case")
        self.night(0)
        self.night(0)
        self.assertEqual(self.arms(), {"": 4 + 8, "reference": 4})
        verdict = self.night(0, words=["--set", "track.reference=suspects"])
        self.assertEqual(self.arms(), {"": 16})
        self.assertNotRegex("\n".join(verdict["notes"]), "reference")

    def test_a_killed_night_goes_on_and_measures_nothing_twice(self):
        self.first_nights(2)
        hold = self.machine.folder / "held-hold"
        worker = self.machine.build("held", more=HOLDS.format(hold=hold, launch=3))
        signal_when_held(self.machine, worker, hold, signal.SIGKILL)
        self.machine.verdict(worker, status=0)
        self.assertEqual(self.arms(), {"": 8, "reference": 8})
        keys = [(row["case_id"], row["arm"], row["launch"]) for row in self.launches()]
        self.assertEqual(len(keys), len(set(keys)))
        self.assertEqual(len(self.machine.runs()), 3)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *(f"References.test_{name}" for name in sys.argv[5:])])
