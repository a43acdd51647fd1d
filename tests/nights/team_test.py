# SPDX-License-Identifier: Apache-2.0
"""Requirements of a team on its nights: team_test.py STEPBENCH STUB_WORKER DATED SOURCE_DIR [TEST]..."""
import datetime
import json
import pathlib
import shutil
import sqlite3
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from nights import CASES, Machine  # noqa: E402

PROGRAM, STUB, DATED = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
NIGHTS = 4  # until a series has a level


class Team(unittest.TestCase):
    def setUp(self):
        self.machine = Machine(PROGRAM, STUB, DATED)
        self.addCleanup(self.machine.close)
        self.good = self.machine.build("good")

    def track_section(self, text, cases=CASES):
        self.machine.experiment("nightly", cases)
        file = self.machine.folder / "nightly.yaml"
        file.write_text(f"track: {text}\n" + file.read_text())
        self.machine.commit("say what is tracked")

    def settle(self, *words):
        """Runs nights until there is a level."""
        self.machine.night(self.good, *words)
        for series in json.loads(self.track("check", "--format", "json").out)["series"]:
            if series["unit"] == "bytes":
                self.track("note", series["id"], "--as", "ignored", "not scripted")
        for night in range(NIGHTS - 1):
            self.machine.night(self.machine.build(f"good-{night}"), *words, status=0)

    def track(self, *words, status=0):
        return self.machine.run("track", *words, status=status)

    def test_alert_names_its_commits_and_assignee(self):
        self.track_section("{commit_url: 'https://example.org/c/{sha}'}")
        self.settle()
        self.machine.commit("Read the batch twice")
        self.machine.commit("Mend a comment")
        slow = self.machine.build("slow", slower=1.06)
        night = self.machine.night(slow, "--on-alert", "cat >> told", "--junit", "night.xml", "--openmetrics",
                                   "night.prom", status=1)
        self.assertRegex(night.out, r"commit [0-9a-f]{8} Mend a comment \(me\)\s+https://example.org/c/[0-9a-f]{40}")
        self.assertRegex(night.out, r"commit [0-9a-f]{8} Read the batch twice \(me\)")
        self.assertNotIn("say what is tracked", night.out)
        (told,) = map(json.loads, (self.machine.folder / "told").read_text().splitlines())
        self.assertEqual([commit["title"] for commit in told["commits"]], ["Mend a comment", "Read the batch twice"])
        self.assertRegex(told["text"], r"^A1 on .*: regression: nightly step_us=[13]000, step: [0-9. umns]+ -> [0-9. umns]+, \+")
        junit = (self.machine.folder / "night.xml").read_text()
        self.assertRegex(junit, r"commit [0-9a-f]{8} Read the batch twice \(me\)")
        self.assertIn('name="first_bad_commit"', junit)
        self.assertIn('name="cause"', junit)
        values = (self.machine.folder / "night.prom").read_text()
        self.assertRegex(values, r'stepbench_night_seconds\{.*state="regression".*\} 0\.00[13]')
        self.assertRegex(values, r'stepbench_night_usual_seconds\{')

        self.track("note", "A1", "--who", "anna")
        self.track("note", "A1", "seen in the new loader, too")
        self.track("note", self.machine.runs()[-1].name, "the room was warm")
        page = self.track("show", "A1").out
        self.assertRegex(page, "opened [0-9-]+, assigned to anna")
        self.assertIn("assigned: anna", page)
        self.assertIn("noted: seen in the new loader, too", page)
        self.assertIn("Read the batch twice", page)
        self.assertIn("the room was warm", self.track("show", "step_us=1000").out)
        with sqlite3.connect(self.machine.folder / "results/history.db") as history:
            rows = history.execute("SELECT alert_id, state, assignee, series FROM alert").fetchall()
            self.assertEqual(rows, [("A1", "open", "anna", 2)])
        self.assertRegex(self.machine.night(slow).out, "A1, since [0-9-]+: 2 series worse, assigned to anna")
        self.track("note", "A1", "--as", "open")
        self.assertNotIn("assigned to anna", self.track("show", "A1").out)
        shutil.rmtree(self.machine.folder / ".git")
        self.assertNotIn("commit", self.track("show", "A1").out.replace("(commit", ""), "the repository is gone")

    def test_other_branch_or_clock_leaves_the_main_level(self):
        self.settle("--label", "branch=main")
        slow = self.machine.build("slow", slower=1.3)
        dev = self.machine.night(slow, "--label", "branch=dev", status=0, next_night=False)
        self.assertRegex(dev.out, r"nightly@dev .*\n(.*\n)*.*no verdict")
        main = self.machine.night(self.machine.build("good-too"), "--label", "branch=main", status=0)
        self.assertRegex(main.out, "[24] ok")
        self.assertRegex(self.track("list").out, r"nightly@dev +step_us=1000 +step +1 ")
        self.machine.date -= datetime.timedelta(days=7)
        night = self.machine.night(slow, "--label", "branch=main")
        self.assertNotRegex(night.out, "A1", "a later night was judged before: nothing new is recorded")

    def test_margin_of_a_case_decides_its_alerts(self):
        cases = ("    - {stub.step_us: 1000, track.margin.step: 8%}\n"
                 "    - {stub.step_us: 3000}\n")
        self.track_section("{metrics: 'step_p90=9%'}", cases)
        self.settle()
        slow = self.machine.build("slow", slower=1.06)
        done, verdict = self.machine.verdict(slow, "--junit", "night.xml", status=1)
        (alert,) = [alert for alert in verdict["alerts"] if alert["state"] == "open"]
        of_alert = {(series["options"]["stub.step_us"], series["metric"]) for series in alert["series"]}
        self.assertEqual(of_alert, {(3000, "step_ns")}, done)
        margins = {(series["options"]["stub.step_us"], series["metric"]): series["margin"]
                   for series in verdict["series"] if series["unit"] == "ns"}
        self.assertEqual(margins, {(1000, "step_ns"): 0.08, (3000, "step_ns"): 0.01,
                                   (1000, "step_p90_ns"): 0.09, (3000, "step_p90_ns"): 0.09})
        slower = self.machine.build("slower", slower=1.25)
        done, verdict = self.machine.verdict(slower, status=1)
        told = {(series["options"]["stub.step_us"], series["metric"]) for series in verdict["series"]
                if series["state"] == "regression" and series["unit"] == "ns"}
        self.assertEqual(told, set(margins), done)

    def test_mistakes_are_named_before_measuring(self):
        for text, said in (("{margin: {step: 250%}}", "track.margin.step: '250%' is not a share below 1"),
                           ("{margin: {step: little}}", "step.*auto, or a share such as 2% or 0.02"),
                           ("{margin: {stepp: 2%}}", "stepp.*did you mean"),
                           ("{metrics: step_p9}", "nightly.yaml: track.metrics: unknown metric 'step_p9'"),
                           ("{metrics: step_p90=x}", "track.metrics: 'step_p90=x': expected a share below 1 after =")):
            self.track_section(text)
            self.assertRegex(self.machine.night(self.good, status=2).err, said)
        self.track_section("{}")
        for words, said in ((("--db", "sqlite:/proc/history.db"), "/proc"),
                            (("nightly.yaml",), "the history identifies experiments by `name`")):
            self.assertIn(said, self.machine.night(self.good, *words, status=2).err)
        self.assertFalse((self.machine.folder / "results").exists() and self.machine.runs())

    def test_missed_night_is_sent_by_the_next_job(self):
        ask = ("--worker", self.good, "--expect-by", "08:00", "--on-alert", "cat >> told")
        self.machine.night(self.good, next_night=False)
        self.machine.date = self.machine.date.replace(hour=9)
        there = self.machine.run("nightly", "nightly.yaml", *ask, status=0)
        self.assertIn("nightly: its night began at 2026-02-01 02:1", there.out)
        self.assertFalse((self.machine.folder / "told").exists())
        self.machine.date += datetime.timedelta(days=1)
        missing = self.machine.run("nightly", "nightly.yaml", *ask, status=4)
        self.assertIn("no night of nightly ended by 2026-02-02 08:00 UTC; the last began at 2026-02-01", missing.out)
        (told,) = map(json.loads, (self.machine.folder / "told").read_text().splitlines())
        self.assertEqual((told["schema"], told["exit_code"]), ("stepbench.night_failed", 4))
        self.assertIn("no night of nightly ended by", told["text"])
        self.assertEqual(len(self.machine.runs()), 1, "nothing was measured")
        self.assertIn("--expect-by: expected a time of day in UTC as 08:00, found 'noon'",
                      self.machine.run("nightly", "nightly.yaml", "--expect-by", "noon", status=2).err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *(f"Team.test_{name}" for name in sys.argv[5:])])
