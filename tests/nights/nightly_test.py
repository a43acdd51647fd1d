# SPDX-License-Identifier: Apache-2.0
"""`stepbench nightly`, a night at a time: nightly_test.py STEPBENCH STUB_WORKER DATED SOURCE_DIR [TEST]..."""
import json
import pathlib
import signal
import sys
import unittest
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from nights import HOLDS, PATIENCE_S, Machine, signal_when_held, start_night, wait_until_held  # noqa: E402

PROGRAM, STUB, DATED = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
LAUNCHES = 10  # of the experiment: two cases, five launches each


class Nights(unittest.TestCase):
    def setUp(self):
        self.machine = Machine(PROGRAM, STUB, DATED)
        self.addCleanup(self.machine.close)
        self.good = self.build_held("good", launch=3)

    def build_held(self, name, launch, **options):
        """Builds a program that signal_when_held() can stop in this launch."""
        return self.machine.build(name, more=HOLDS.format(hold=self.machine.folder / f"{name}-hold", launch=launch), **options)

    def signal_when_held(self, program, number, *words):
        hold = self.machine.folder / f"{program.name}-hold"
        return signal_when_held(self.machine, program, hold, number, *words)

    def launches(self, *runs):
        """Returns the launch rows in the files of these runs, or of all, including repetitions."""
        rows = []
        for run in runs or self.machine.runs():
            for file in run.glob("*.jsonl"):
                whole = [line for line in file.read_text().splitlines(keepends=True) if line.endswith("\n")]
                rows += [line for line in map(json.loads, whole) if line["kind"] == "launch"]
        return rows

    def settle(self):
        """Runs nights until there is a level."""
        self.machine.night(self.good)
        self.machine.ignore_memory()
        for name in ("second", "third"):
            self.machine.night(self.machine.build(name), status=0)

    def test_night_is_measured_added_and_judged(self):
        done, verdict = self.machine.verdict(self.good, "--verdict", "verdict.json", status=0)
        self.assertEqual(len(self.launches()), LAUNCHES, done)
        self.assertEqual((verdict["exit_code"], verdict["verdict"]), (0, "no-verdict"))
        self.assertEqual(json.loads((self.machine.folder / "verdict.json").read_text()), verdict)
        self.assertRegex(self.machine.run("track", "list", status=0).out, "step_us=1000|step_us=3000")
        workers = self.machine.folder / "results/workers"
        self.assertEqual(len(list(workers.iterdir())), 1, "tonight's worker is the reference, and kept")
        kept = self.machine.run("track", "prune", "--dry-run", status=0)
        self.assertRegex(kept.out, r"reference\n1 program, ")
        self.assertRegex(self.machine.night(self.good, status=0).out, "tonight's program is the reference")
        page = self.machine.night(self.machine.build("other"), status=0)
        self.assertRegex(page.out, "in turns with the reference program of 2026-02-01")
        self.assertEqual(len(list(workers.iterdir())), 1, "one program of an experiment is kept")
        self.assertEqual(len(self.machine.runs()), 3, "the same command is another night")

    def test_interrupted_night_resumes_without_repeats(self):
        hold = self.machine.folder / "good-hold"
        for night, number in enumerate((signal.SIGKILL, signal.SIGINT, signal.SIGTERM)):
            # In its third launch.
            status, out, err = self.signal_when_held(self.good, number, "--verdict", "verdict.json")
            self.assertEqual(len(self.launches()), night * LAUNCHES + 2)
            if number == signal.SIGINT:
                self.assertEqual((status, out), (130, ""), err)
                self.assertIn("the same command resumes", err)
                self.assertEqual(json.loads((self.machine.folder / "verdict.json").read_text())["exit_code"], 130)
            hold.with_suffix(".reached").unlink()
            fresh = ["--fresh"] if number == signal.SIGTERM else []
            self.machine.night(self.good, "--verdict", "verdict.json", *fresh, status=0)
            self.assertEqual(len(self.machine.runs()), night + 1 + len(fresh), "--fresh begins anew")
            keys = Counter((str(row["started_utc"])[:10], row["case_id"], row["launch"]) for row in self.launches())
            self.assertEqual(set(keys.values()), {1} if not fresh else {1, 2})
            self.assertEqual(len(self.launches()), (night + 1) * LAUNCHES + 2 * len(fresh))

    def test_night_killed_in_fresh_pairs_resumes(self):
        self.settle()
        slow = self.build_held("slow", launch=2 * 4 + 4, slower=1.05)
        nights = len(self.machine.runs())
        self.signal_when_held(slow, signal.SIGKILL, "--quiet")
        keys = lambda: Counter((row["case_id"], row["arm"], row["pass"], row["launch"])  # noqa: E731
                               for row in self.launches(self.machine.runs()[-1]))
        before = keys()
        self.assertGreaterEqual(before.total(), 2 * 8 + 2 * 3, "inside the first fresh pairs")
        done, verdict = self.machine.verdict(slow, status=1)
        self.assertEqual(len(self.machine.runs()), nights + 1, done)
        after = keys()
        self.assertLessEqual((after - Counter(after.keys())).total(), 1, "half a pair is measured again as a whole")
        passes = Counter(key[2] for key in after)
        self.assertEqual(passes, {"timing": 2 * 2 * (4 + 24), "native": 2 * 2},
                         "two cases, 24 fresh pairs; one profile of either program")
        (alert,) = verdict["alerts"]
        for series in verdict["series"]:
            if series["alert"]:
                self.assertEqual(series["pairs"], 24, "those by which it looked odd do not count")
        self.assertEqual(len(alert["series"]), 2)

    def test_second_night_at_once_is_refused_or_waits(self):
        hold = self.machine.folder / "good-hold"
        hold.touch()
        first = start_night(self.machine, self.good, lock="--wait-lock")
        wait_until_held(first, hold)
        refused = self.machine.run("nightly", "nightly.yaml", "--worker", self.good, status=2)
        self.assertRegex(refused.err, r"device cpu: another run \(process \d+\) is measuring on it; two runs disturb each "
                         "other: --wait-lock waits for its end")
        self.assertEqual(len(self.machine.runs()), 1, "nothing was begun")
        second = start_night(self.machine, self.good, lock="--wait-lock")
        while "waiting: another run" not in second.stderr.readline():
            self.assertIsNone(second.poll())
        hold.unlink()
        for night in (first, second):
            out, err = night.communicate(timeout=PATIENCE_S)
            self.assertEqual(night.returncode, 0, out + err)
        self.assertNotIn("resuming the night", err)
        self.assertEqual(len(self.machine.runs()), 2, "the second is a night of its own")
        keys = Counter((row["run_id"], row["case_id"], row["launch"]) for row in self.launches() if "run_id" in row)
        self.assertEqual(len(self.launches()), 2 * LAUNCHES)
        self.assertEqual(set(keys.values()) - {1}, set(), "nothing is measured twice")
        self.assertRegex(self.machine.run("track", "list", status=0).out, r"step_us=1000 +step +2 ")

    def test_failed_launch_is_never_green(self):
        self.machine.night(self.good, status=0)
        self.machine.experiment("nightly", "    - {stub.step_us: 1000}\n    - {stub.step_us: 3000}\n"
                                "    - {stub.behaviour: throw_in_step}\n")
        done, verdict = self.machine.verdict(self.good, "--allow-inconclusive", status=4)
        self.assertEqual(verdict["exit_code"], 4, done)
        self.assertRegex("\n".join(verdict["notes"]), "5 of 15 launches failed: .*scripted exception in step")

    def test_alert_is_sent_once_and_again_after_failure(self):
        self.settle()
        slow = self.machine.build("slow", slower=1.05)
        failed = self.machine.night(slow, "--on-alert", "cat > lost; echo no route to chat >&2; exit 7", status=1)
        self.assertRegex(failed.err, "A1: ended with status 7: no route to chat; the next night retries")
        for _ in range(2):
            self.machine.night(slow, "--on-alert", "cat >> told")
        (told,) = map(json.loads, (self.machine.folder / "told").read_text().splitlines())
        self.assertEqual((told["schema"], told["id"], told["state"]), ("stepbench.alert", "A1", "open"))
        self.assertAlmostEqual(told["series"][0]["change"], 0.05, places=2)
        self.assertTrue(told["last_good"]["folder"])
        self.machine.run(*told["show"].split()[1:], status=0)

    def test_failed_night_is_sent(self):
        self.machine.experiment("nightly", "    - {stub.behaviour: throw_in_step}\n")
        self.machine.night(self.good, "--on-alert", "cat >> told", status=4)
        (told,) = map(json.loads, (self.machine.folder / "told").read_text().splitlines())
        self.assertEqual((told["schema"], told["exit_code"]), ("stepbench.night_failed", 4))
        self.assertRegex(told["text"], "the night on .* failed .exit status 4.: .*launches failed")
        (self.machine.folder / "nightly.yaml").write_text("nonsense: [")
        self.machine.night(self.good, "--on-alert", "cat >> told", status=2)
        self.assertEqual(len((self.machine.folder / "told").read_text().splitlines()), 2)

    def test_hanging_command_is_ended_and_reported(self):
        self.machine.experiment("nightly", "    - {stub.behaviour: throw_in_step}\n")
        # A command that left its group and writes endlessly delays nothing.
        failed = self.machine.night(self.good, "--on-alert", "setsid yes & sleep 1000", status=4)
        self.assertRegex(failed.err, "for a failed night: took longer than 60 s and was killed")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *(f"Nights.test_{name}" for name in sys.argv[5:])])
