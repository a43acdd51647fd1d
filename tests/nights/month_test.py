# SPDX-License-Identifier: Apache-2.0
"""A month of nights on one machine, with every state and exit status:
month_test.py STEPBENCH STUB_WORKER DATED SOURCE_DIR [TEST]..."""
import datetime
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
        self.seen = set()

    def night(self, status, states=(), slower=1.0, worker=None, words=(), more=""):
        """A night with a program of its own. `states`: one of these is that of each step series."""
        worker = worker or self.machine.build(f"built-{self.machine.date:%m-%d}", slower, more)
        done, verdict = self.machine.verdict(worker, *words)
        steps = [series for series in verdict["series"] if series["metric"] == "step_ns"]
        told = "".join(f"\n  {each['name']}: {each['state']}, {each['change']}: {each['why']}" for each in steps)
        where = f"night before {self.machine.date:%m-%d}: {told}\n{verdict['notes']}\n{verdict['alerts']}\n{done.err}"
        self.assertEqual(done.status, status, where)
        self.assertEqual(verdict["exit_code"], status, where)
        if states:
            self.assertLessEqual({each["state"] for each in steps}, set(states), where)
        self.seen |= {(each["state"], status) for each in steps}
        return verdict

    def pass_nights(self, number):
        self.machine.date += datetime.timedelta(days=number)

    def warm_up(self):
        self.night(0, ["warming-up"])
        self.machine.ignore_memory()
        for _ in range(9):
            self.night(0, ["warming-up"])
        self.night(0, ["ok"])

    def spike(self, status, states, **options):
        """The machine is 6 % slower for one night."""
        usual, self.machine.weather = self.machine.weather, 1.06
        verdict = self.night(status, states, **options)
        self.assertNotEqual(self.machine.weather, 1.06)
        return verdict, usual

    def test_a_step_is_found_accepted_grows_and_is_fixed(self):
        self.warm_up()
        self.machine.commit("a slower program")
        verdict = self.night(1, ["regression"], slower=1.03)
        (alert,) = verdict["alerts"]
        self.assertEqual(len(alert["series"]), 2, "one alert for all that moved together")
        self.night(1, ["regression"], slower=1.03)
        self.machine.run("track", "acknowledge", alert["id"], "--reason", "wanted", "--expect", "+4%", status=0)
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

    def test_a_spike_is_measured_again_and_forgotten(self):
        self.warm_up()
        self.spike(0, ["doubtful"])
        self.night(0, ["not-reproduced"])
        self.night(0, ["ok"])

    def test_the_same_program_that_moved_is_not_blamed(self):
        self.warm_up()
        same = self.machine.build("same")
        self.night(0, ["ok"], worker=same)
        verdict, _ = self.spike(0, ["environment-change"], worker=same)
        self.assertEqual(verdict["alerts"], [])

    def test_missing_nights_are_no_points(self):
        self.warm_up()
        self.pass_nights(4)
        self.night(0, ["ok"])
        self.night(1, ["regression"], slower=1.05)

    def test_another_environment_begins_a_new_level_and_says_what_the_program_did(self):
        self.warm_up()
        self.machine.torch = "2.11.0"
        usual, self.machine.weather = self.machine.weather, 1.08
        verdict = self.night(0, ["environment-change"])
        self.assertEqual(verdict["alerts"], [])
        for series in verdict["series"]:
            if series["metric"] == "step_ns":
                self.assertIn("held against the program of", series["why"])
                self.assertGreater(series["change"], 0.06)

    def test_a_step_that_comes_with_another_environment_is_found(self):
        self.warm_up()
        self.machine.torch = "2.11.0"
        verdict = self.night(1, ["regression"], slower=1.08)
        self.assertAlmostEqual(verdict["alerts"][0]["series"][0]["measured"][0]["change"], 0.08, places=2)

    def test_a_step_in_the_first_nights_is_found(self):
        self.night(0, ["warming-up"])
        self.machine.ignore_memory()
        self.night(0, ["warming-up"])
        self.night(1, ["regression"], slower=1.05)

    def test_faster_is_green(self):
        self.warm_up()
        self.night(0, ["improvement"], slower=0.95)
        self.night(0, ["warming-up"], slower=0.95)
        # What was gained is lost, in a level of two nights.
        self.night(1, ["regression"])

    def test_a_broken_program_is_no_data(self):
        self.warm_up()
        verdict = self.night(4, ["no-data"], more='[ "$1" = describe ] || [ "$1" = check ] || exit 9')
        self.assertRegex("\n".join(verdict["notes"]), "10 of 10 launches failed")
        self.night(0, ["ok"])

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

    def test_a_program_that_no_longer_starts_makes_room_for_another_one(self):
        first, last = (self.machine.folder / name for name in ("first-is-broken", "last-is-broken"))
        fails = "if [ -e '{}' ]; then case $1 in --control*) exit 9;; esac; fi"
        self.night(0, ["warming-up"], more=fails.format(first))
        self.machine.ignore_memory()
        self.night(0, ["warming-up"])
        first.touch()
        verdict = self.night(0, ["warming-up"])
        said = "the program of 2026-02-01 .build [0-9a-f]{8}. could not be measured beside tonight's, for 2 series: .* no longer runs here"
        self.assertRegex("\n".join(verdict["notes"]), said)
        for series in verdict["series"]:
            if series["metric"] == "step_ns":
                self.assertIn("held against the program of 2026-02-02", series["why"], "the same night")
        verdict = self.night(0, ["warming-up"], more=fails.format(last))
        self.assertNotIn("could not be measured", "\n".join(verdict["notes"]), "said once")
        last.touch()
        verdict = self.night(1, ["regression"], slower=1.05)
        (alert,) = verdict["alerts"]
        self.assertEqual(alert["first_bad"]["started_utc"][:10], "2026-02-05")

    def test_a_night_of_a_changed_tree_is_never_the_last_good_one(self):
        self.warm_up()
        config = self.machine.folder / "nightly.yaml"
        clean = config.read_text()
        config.write_text(clean + "# a change of mine\n")
        dirty = self.night(0, ["ok"])
        config.write_text(clean)
        verdict = self.night(1, ["regression"], slower=1.05)
        self.assertNotEqual(verdict["alerts"][0]["last_good"], dirty["runs"][0]["run_id"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *(f"Month.test_{name}" for name in sys.argv[5:])])
