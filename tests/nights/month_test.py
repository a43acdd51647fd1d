# SPDX-License-Identifier: Apache-2.0
"""A month of nights on one machine: month_test.py STEPBENCH STUB_WORKER DATED SOURCE_DIR [TEST]...

tests/unit/nights has what else may happen to a series."""
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
        """Runs a night with its own program. `states`: each step series must have one of them."""
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

    def settle(self):
        self.night(0, ["no-verdict"])
        self.machine.ignore_memory()
        for _ in range(4):
            self.night(0, ["ok", "no-verdict"])

    def test_regression_is_accepted_grows_and_is_fixed(self):
        self.settle()
        self.machine.commit("a slower program")
        verdict = self.night(1, ["regression"], slower=1.03)
        (alert,) = verdict["alerts"]
        self.assertEqual(len(alert["series"]), 2, "one alert for all that moved together")
        self.night(1, ["regression"], slower=1.03)
        self.machine.run("track", "note", alert["id"], "--as", "accepted", "wanted", status=0)
        self.night(0, ["ok"], slower=1.03)
        grown = self.night(1, ["regression"], slower=1.10)
        (second,) = (each for each in grown["alerts"] if each["state"] == "open")
        self.assertNotEqual(second["id"], alert["id"], "what comes after an acceptance is an alert of its own")
        self.assertAlmostEqual(second["series"][0]["change"], 1.10 / 1.03 - 1, places=2)
        self.night(1, ["regression"], slower=1.10)
        mended = self.night(0, ["ok"], slower=1.03)
        self.assertEqual([each["state"] for each in mended["alerts"] if each["id"] == second["id"]], ["fixed"],
                         "24 pairs with the level before are a proof")
        self.night(0, ["ok"], slower=1.03)

    def test_small_budget_leaves_suspects_for_the_next_night(self):
        self.settle()
        verdict = self.night(3, ["suspect"], slower=1.018, words=["--budget", "0.001s"])
        self.assertEqual({each["why"] for each in verdict["series"] if each["state"] == "suspect"}, {"budget"})
        verdict = self.night(1, ["regression", "suspect"], slower=1.05, words=["--budget", "0.001s"])
        self.assertEqual({each["pairs"] for each in verdict["series"] if each["alert"]}, {8}, "or it would never be told")
        verdict = self.night(1, ["regression"], slower=1.05)
        self.assertIn(24, {each["pairs"] for each in verdict["series"] if each["told"]})

    def test_allow_known_ignores_an_old_regression(self):
        self.settle()
        self.night(1, ["regression"], slower=1.05, words=["--allow-known"])
        self.night(0, ["regression"], slower=1.05, words=["--allow-known"])
        self.night(1, ["regression"], slower=1.12, words=["--allow-known"])

    def test_other_environment_is_measured_on_the_reference(self):
        self.settle()
        self.machine.torch = "2.11.0"
        self.machine.weather = 1.08
        verdict = self.night(0, ["ok"])
        self.assertEqual(verdict["alerts"], [])
        (run,) = verdict["runs"]
        self.assertIn(("torch", "2.10.0", "2.11.0"),
                      [(each["field"], each["before"], each["tonight"]) for each in run["environment"]])
        steps = {each["id"] for each in verdict["series"] if each["metric"] == "step_ns"}
        self.assertTrue(all(0.07 < moved["change"] < 0.09 for moved in run["reference_moved"] if moved["series"] in steps))
        page = self.machine.night(self.machine.build("one-more"), status=0).out
        self.assertNotIn("torch", page.splitlines()[0], "it is no news the night after")
        self.machine.torch = "2.12.0"
        page = self.machine.night(self.machine.build("and-one"), status=0).out
        self.assertRegex(page.splitlines()[0], r"torch 2.11.0 -> 2.12.0: reference [+-]\d")

    def test_creep_is_found_with_its_range(self):
        self.settle()
        for night in range(1, 30):
            worker = self.machine.build(f"built-{self.machine.date:%m-%d}", 1 + 0.002 * night)
            done, verdict = self.machine.verdict(worker)
            if done.status == 1:
                break
        self.assertLess(night, 20, "4 % came in steps of 0.2 %")
        self.assertEqual(len(verdict["alerts"]), 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *(f"Month.test_{name}" for name in sys.argv[5:])])
