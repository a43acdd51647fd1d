# SPDX-License-Identifier: Apache-2.0
"""A month of nights on one machine, every state and exit status: month_test.py STEPBENCH STUB_WORKER DATED SOURCE_DIR"""
import datetime
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from nights import Machine  # noqa: E402

PROGRAM, STUB, DATED = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
STEPS = "    - {stub.step_us: 1000}\n    - {stub.step_us: 3000}\n"


class Month(unittest.TestCase):
    def setUp(self):
        self.machine = Machine(PROGRAM, STUB, DATED)
        self.addCleanup(self.machine.close)
        self.machine.experiment("nightly", STEPS)
        self.machine.commit("the experiment")

    def night(self, build, status, *words):
        """Its verdict, with the states of its step series in the order of the cases."""
        done, verdict = self.machine.verdict(build, *words)
        self.assertEqual(done.status, status, f"{self.machine.date}: {done}")
        self.assertEqual(verdict["exit_code"], status)
        return verdict, [series["state"] for series in verdict["series"] if series["metric"] == "step_ns"]

    def test_a_month(self):
        first = self.machine.build("first")
        states = set()

        def night(build, status, *words, state=None):
            verdict, steps = self.night(build, status, *words)
            states.update(steps)
            if state:
                self.assertEqual(set(steps), {state}, json.dumps(verdict["series"], indent=1))
            return verdict

        for _ in range(10):
            night(first, 3, state="warming-up")
        night(first, 0, state="ok")

        # A spike of the machine, which is gone when it is measured again.
        usual, self.machine.weather = self.machine.weather, 1.06
        night(first, 0, state="not-reproduced")
        self.machine.weather = usual
        night(first, 0, state="ok")

        # Four nights are missing: counted are points, not days.
        self.machine.date += datetime.timedelta(days=4)
        night(first, 0, state="ok")

        # A step of 3 %.
        second = self.machine.build("second", slower=1.03)
        self.machine.commit("a slower program")
        verdict = night(second, 1, state="regression")
        (alert,) = verdict["alerts"]
        self.assertEqual(len(alert["series"]), 2, "one alert for all that moved")
        night(second, 1, state="regression")
        self.machine.run("track", "acknowledge", alert["id"], "--reason", "wanted", "--expect", "+4%", status=0)
        night(second, 0, state="acknowledged")

        # Back to what it was.
        third = self.machine.build("third")
        verdict = night(third, 0)
        for _ in range(2):
            night(third, 0, state="ok")

        # A launch that fails.
        broken = self.machine.build("broken", more='[ "$1" = describe ] || [ "$1" = check ] || exit 9')
        verdict, _ = self.night(broken, 4)
        self.assertRegex("\n".join(verdict["notes"]), "10 of 10 launches failed")

        # A tree with changes of its own is measured, and never the last good one.
        (self.machine.folder / "nightly.yaml").write_text((self.machine.folder / "nightly.yaml").read_text() + "# x\n")
        night(third, 0, state="ok")
        self.machine.git("checkout", "--", "nightly.yaml")

        # Another torch: a new level, no blame.
        self.machine.torch = "2.11.0"
        fourth = self.machine.build("fourth", slower=1.08)
        verdict = night(fourth, 3)
        self.assertFalse([each for each in verdict["alerts"] if each["state"] == "regression"])
        for _ in range(9):
            night(fourth, 3)
        night(fourth, 0, state="ok")

        # Faster.
        fifth = self.machine.build("fifth", slower=1.0)
        night(fifth, 0, state="improvement")
        self.assertTrue(states >= {"warming-up", "ok", "not-reproduced", "regression", "acknowledged", "improvement"},
                        states)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *(f"Month.test_{name}" for name in sys.argv[5:])])
