# SPDX-License-Identifier: Apache-2.0
"""A month of nights on one machine: month_test.py STEPBENCH STUB_WORKER DATED SOURCE_DIR [TEST]...

tests/unit/track/night/life_test.cpp has what else may happen to a series."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from nights import Machine  # noqa: E402

PROGRAM, STUB, DATED = (pathlib.Path(word).resolve() for word in sys.argv[1:4])


class Month(unittest.TestCase):
    def setUp(self):
        self.machine = Machine(PROGRAM, STUB, DATED)
        self.addCleanup(self.machine.close)

    def night(self, status, states=(), slower=1.0, words=()):
        """A night with a program of its own. `states`: one of these is that of each step series."""
        worker = self.machine.build(f"built-{self.machine.date:%m-%d}", slower)
        done, verdict = self.machine.verdict(worker, *words)
        steps = [series for series in verdict["series"] if series["metric"] == "step_ns"]
        told = "".join(f"\n  {each['name']}: {each['state']}, {each['change']}: {each['why']}" for each in steps)
        where = f"night before {self.machine.date:%m-%d}: {told}\n{verdict['notes']}\n{verdict['alerts']}\n{done.err}"
        self.assertEqual(done.status, status, where)
        self.assertEqual(verdict["exit_code"], status, where)
        if states:
            self.assertLessEqual({each["state"] for each in steps}, set(states), where)
        return verdict

    def warm_up(self):
        self.night(0, ["warming-up"])
        self.machine.ignore_memory()
        for _ in range(9):
            self.night(0, ["warming-up"])
        self.night(0, ["ok"])

    def test_a_step_is_found_accepted_grows_and_is_fixed(self):
        self.warm_up()
        self.machine.commit("a slower program")
        verdict = self.night(1, ["regression"], slower=1.03)
        (alert,) = verdict["alerts"]
        self.assertEqual(len(alert["series"]), 2, "one alert for all that moved together")
        self.night(1, ["regression"], slower=1.03)
        self.machine.run("track", "note", alert["id"], "--as", "accepted", "wanted", "--expect", "+4%", status=0)
        self.night(0, ["acknowledged"], slower=1.03)
        grown = self.night(1, ["regression"], slower=1.10)
        (second,) = (each for each in grown["alerts"] if each["state"] == "regression")
        self.assertNotEqual(second["id"], alert["id"], "what comes after an acceptance is an alert of its own")
        self.assertAlmostEqual(second["series"][0]["measured"][0]["change"], 1.10 / 1.03 - 1, places=2)
        self.night(1, ["regression"], slower=1.10)
        mended = self.night(1, ["regression"], slower=1.03)
        self.assertTrue(all(series["measured"][-1]["closing"] for each in mended["alerts"] if each["id"] == second["id"]
                            for series in each["series"]), "one measurement is no proof")
        self.night(0, ["fixed"], slower=1.03)
        self.night(0, ["ok", "acknowledged", "warming-up"], slower=1.03)

    def test_a_suspect_stays_open_until_it_is_measured(self):
        self.warm_up()
        self.night(3, ["suspect"], slower=1.05, words=["--no-confirm"])
        self.night(1, ["regression"], slower=1.05)

    def test_what_a_relinked_program_does_not_show_is_no_regression(self):
        self.warm_up()
        self.night(0, ["reproduced"], slower=1.05, words=["--relinked", self.machine.build("relinked")])
        self.night(1, ["regression"], slower=1.05)

    def test_an_old_regression_alone_does_not_fail_where_that_is_asked_for(self):
        self.warm_up()
        self.night(1, ["regression"], slower=1.05, words=["--allow-known"])
        self.night(0, ["regression"], slower=1.05, words=["--allow-known"])
        self.night(1, ["regression"], slower=1.12, words=["--allow-known"])

    def test_another_environment_begins_a_new_level_and_says_what_the_program_did(self):
        self.warm_up()
        self.machine.torch = "2.11.0"
        self.machine.weather = 1.08
        verdict = self.night(0, ["environment-change"])
        self.assertEqual(verdict["alerts"], [])
        for series in verdict["series"]:
            if series["metric"] == "step_ns":
                self.assertIn("held against the program of", series["why"])
                self.assertGreater(series["change"], 0.06)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *(f"Month.test_{name}" for name in sys.argv[5:])])
