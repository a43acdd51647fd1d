# SPDX-License-Identifier: Apache-2.0
"""`stepbench tune` as a user calls it: tune_test.py STEPBENCH STUB_WORKER [TEST]...

The worker is a script around the stub worker, whose launches vary by 1 % in scripted time."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from own_clock import on_its_own_clock  # noqa: E402

STEPBENCH, STUB = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()

EXPERIMENT = """\
# How long should a step be?
name: job
workload: stub
stub: {{step_us: {own}, jitter: 0.05, behaviour: {behaviour}}}
schedule: {{wait: 0, warmup: 2, active: 8}}
launches: 2
sweep:
  matrix:
    stub.step_us: [{values}]
    stub.set_up_us: [1000, 2000, 3000, 4000]
{more}"""
# Each start draws the next of one series of normal numbers.
LAUNCH = f"""\
#!/bin/sh
number=$(cat NUMBER); echo $((number + 1)) > NUMBER
STUB_SLOWER=$(awk "BEGIN {{ srand($number); for (i = 0; i < 12; ++i) sum += rand(); print 1 + 0.01 * (sum - 6) }}")
export STUB_SLOWER
exec '{STUB}' "$@"
"""

# A script whose step time is set by its argument.
SCRIPT = on_its_own_clock("""\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--num_workers", type=int, default=0)
parser.add_argument("--width", type=int, default=1)
arguments = parser.parse_args()
""", """\
with phase("forward"):
    now_ns += [2_000_000, 1_400_000, 1_000_000, 1_100_000][arguments.num_workers] * arguments.width
""")

# A script that holds as many MiB as its argument: written pages for moderate sizes, a mere allocation for very large
# ones.
HOLD = """\
import argparse, time
from stepbench_worker import measure, phase
parser = argparse.ArgumentParser()
parser.add_argument("--hold_mib", type=int, default=1)
size = parser.parse_args().hold_mib << 20
held = bytearray(size) if size > 1 << 30 else bytearray(b"x") * size
for batch in measure([[1, 2]] * 100):
    with phase("forward"):
        time.sleep(0.1 if size > 1 << 28 else 0.001)
"""
ANY_LOAD = ("--allow", "load", "--allow", "steal")  # other load of this machine is not tested


class Tune(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.worker, number = self.folder / "worker", self.folder / "number"
        self.worker.write_text(LAUNCH.replace("NUMBER", str(number)))
        self.worker.chmod(0o755)
        number.write_text("1")
        self.write()

    def write(self, own=1000, values="1000, 1100, 900, 780, 1300, 1200", behaviour="ok", more=""):
        (self.folder / "job.yaml").write_text(EXPERIMENT.format(own=own, values=values, behaviour=behaviour, more=more))

    def environment(self):
        return {**os.environ, "HOME": str(self.folder), "XDG_CACHE_HOME": str(self.folder / "cache"),
                "XDG_STATE_HOME": str(self.folder / "state"), "NO_COLOR": "1"}

    def stepbench(self, *words, status=0):
        done = subprocess.run([STEPBENCH, *map(str, words)], cwd=self.folder, text=True, capture_output=True,
                              env=self.environment(), timeout=600)
        self.assertEqual(done.returncode, status, f"{done.args}\n{done.stdout}{done.stderr}")
        done.text = " ".join(done.stdout.split())
        return done

    def tune(self, *words, status=0, worker=None):
        return self.stepbench("tune", "job.yaml", "--worker", worker or self.worker, "--no-lock", *ANY_LOAD, *words,
                              status=status)

    def answer(self, results="results"):
        (folder,) = (self.folder / results).iterdir()
        answer = json.loads((folder / "tuning.json").read_text())
        for point in answer["points"]:
            point.pop("memory_bytes", None)  # of processes that end before they are sampled
        return answer

    def test_better_setting_is_found_and_confirmed(self):
        done = self.tune("--write", "tuned.yaml")
        self.assertRegex(done.text, r"best: step_us=780 set_up_us=\d+: step -2\d\.\d+ % \[.*against the file's own settings, "
                                    r"confirmed by \d+ fresh pairs")
        self.assertIn("--set stub.step_us=780", done.stdout)
        self.assertIn("the best of the 24 points that were measured is better than this one by at most", done.text)
        answer = self.answer()
        self.assertEqual(answer["answer"], "better")
        winner = next(point for point in answer["points"] if point["case_id"] == answer["winner"])
        self.assertEqual(winner["options"]["stub.step_us"], 780)
        # The planted change, from fresh pairs.
        self.assertAlmostEqual(answer["confirmation"]["change"], -0.22, delta=0.02)
        self.assertLessEqual(answer["confirmation"]["low"], -0.22)
        self.assertGreaterEqual(answer["confirmation"]["high"], -0.22)
        # A quarter continues; the sweep includes the file's own settings.
        self.assertEqual([len(rung["points"]) for rung in answer["rungs"]], [24, 6, 2])
        self.assertEqual(sorted(len(point["launches"]) for point in answer["points"]), [1] * 18 + [3] * 4 + [7] * 2)
        self.assertEqual(answer["spent"]["launches"], answer["spent"]["thrown_away"] + 24 + 6 * 2 + 2 * 4)
        self.assertIn(answer["spent"]["thrown_away"], (2, 3))
        # The written file is an experiment of one case.
        plan = self.stepbench("plan", "tuned.yaml", "--worker", self.worker)
        self.assertIn("1 case", plan.stdout)
        self.assertIn("Found by `stepbench tune` among 24 points", (self.folder / "tuned.yaml").read_text())
        self.stepbench("run", "tuned.yaml", "--worker", self.worker, "--no-lock", "--results", "again")
        # The launches are an ordinary run.
        (folder,) = (self.folder / "results").iterdir()
        self.assertIn("780", self.stepbench("show", folder).stdout)

    def test_best_file_settings_are_kept(self):
        self.write(own=700)
        done = self.tune()
        self.assertIn("the file's own settings came out best of 25 points", done.text)
        self.assertEqual(self.answer()["answer"], "own_is_best")
        (folder,) = (self.folder / "results").iterdir()
        self.assertFalse((folder / "tuned.yaml").exists())

    def test_equal_points_are_a_tie(self):
        self.write(values="1000")
        for seed in range(3):
            done = subprocess.run([STEPBENCH, "tune", "job.yaml", "--worker", self.worker, "--no-lock", "--results",
                                   f"r{seed}", "--seed", str(seed), "--write", "tuned.yaml"], cwd=self.folder,
                                  text=True, capture_output=True, env=self.environment(), timeout=600)
            self.assertIn(done.returncode, (0, 3), done.stdout + done.stderr)
            self.assertIn(self.answer(f"r{seed}")["answer"], ("own_is_best", "undecided"))
            self.assertIn("--write: nothing written to tuned.yaml: no decided winner", done.stderr)

    def test_rate_is_maximised(self):
        self.write(values="1000", more="    stub.samples: [16, 32, 64]\n")
        done = self.tune("--objective", "samples_per_s")
        self.assertRegex(done.text, r"best: .*samples=64.*: samples_per_s \+(9|10)\d\.?\d* %")
        self.assertEqual(self.answer()["direction"], "higher")

    def test_single_value_option_is_in_every_output(self):
        # The file has 32 samples. Points with different work are judged by samples per second.
        self.write(more="    stub.samples: [64]\n")
        done = self.tune("--write", "tuned.yaml")
        self.assertRegex(done.text, r"best: step_us=780 .*samples=64.*: samples_per_s \+15\d\.?\d* %")
        self.assertIn("--set stub.samples=64", done.stdout)
        self.assertIn("not only its speed, and are judged by samples per second", done.text)
        self.assertIn("stub.samples=64", self.answer()["changes"])
        self.assertEqual(self.answer()["objective"], "samples_per_s")
        self.assertIn("samples: 64", (self.folder / "tuned.yaml").read_text())
        self.tune("--objective", "step", "--results", "named")
        self.assertEqual(self.answer("named")["objective"], "step_ns")

    def test_larger_budget_later_confirms_again(self):
        self.write(values="780")
        self.tune("--launches", 40)
        (folder,) = (self.folder / "results").iterdir()
        self.assertEqual(self.answer()["confirmation"]["pairs"], (40 - self.answer()["spent"]["launches"]) // 4 * 2)
        self.tune("--launches", 200, "--resume", folder)
        self.assertEqual(self.answer()["answer"], "better")
        self.assertEqual(len(list((folder / "confirm").iterdir())), 2)
        # A repetition measures nothing, another margin the pairs alone.
        before = self.launches("results")
        self.tune("--launches", 200, "--resume", folder)
        self.assertEqual(self.launches("results"), before)
        self.tune("--launches", 200, "--resume", folder, "--margin", 2)
        self.assertEqual(self.answer()["answer"], "better")
        self.assertEqual(len(list((folder / "confirm").iterdir())), 3)
        self.tune("--launches", 200, "--resume", folder)
        self.assertEqual(len(list((folder / "confirm").iterdir())), 3)

    def test_unmeasurable_point_is_reported(self):
        self.write(more="    stub.behaviour: [ok, throw_in_step]\n")
        done = self.tune(status=1)
        self.assertRegex(done.text, r"failed: 24 points \(.*\): .*scripted exception")
        self.assertRegex(done.text, "best: step_us=780")
        self.assertEqual(self.answer()["answer"], "better")
        self.write(behaviour="throw_in_step", more="    stub.behaviour: [ok]\n")
        done = self.tune(status=3)
        self.assertRegex(done.text, "best: step_us=780.*, not confirmed: the file's own settings cannot be measured")
        self.write(behaviour="throw_in_step")
        self.assertRegex(self.tune(status=4).text, "nothing could be measured: .*scripted exception")
        self.write()
        done = self.tune("--objective", "tokens_per_s", status=4, worker=STUB)
        self.assertRegex(done.text, "nothing could be measured: gives no number for tokens_per_s")

    def test_launch_limit_is_respected(self):
        self.assertIn("2 that are thrown away, one of each point and 10 pairs to confirm the winner take 46",
                      self.tune("--launches", 45, status=2).stderr)
        self.tune("--launches", 46, "--results", "few")
        answer = self.answer("few")
        self.assertEqual((answer["spent"]["launches"], answer["confirmation"]["pairs"]), (26, 10))
        self.assertTrue(answer["spent"]["stopped"])
        done = self.tune("--launches", 26, "--no-confirm")
        # The proposed command for confirmation works.
        command = re.search(r"stepbench (ab .*--metric step)", done.stdout).group(1)
        again = subprocess.run(f"{STEPBENCH} {command} --pairs 10 --no-lock {' '.join(ANY_LOAD)}", shell=True, cwd=self.folder, text=True,
                               capture_output=True, env=self.environment())
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        self.assertIn("improvement", again.stdout)

    def test_dry_run_prints_the_plan_and_measures_nothing(self):
        said = self.tune("--dry-run").stdout
        self.assertRegex(said, "24 points; the file's own settings are #[0-9]+; by step, smaller is better; 1.0 % or less")
        self.assertIn("  first: 2 to 6 launches of the file's own settings, thrown away until two agree\n"
                      "  rung 1: 24 points x 1 launch = 24\n  rung 2: 6 points x 2 launches = 12\n", said)
        self.assertIn("44 launches; not measured before", said)
        self.assertFalse((self.folder / "results").exists())
        self.assertIn("plans a new search", self.tune("--dry-run", "--resume", ".", status=2).stderr)
        self.assertIn("`stepbench plan --format json`", self.tune("--dry-run", "--format", "json", status=2).stderr)

    def test_too_small_budget_is_refused(self):
        done = self.tune("--budget", "0.05s", status=2)
        self.assertRegex(done.stderr, r"--budget: launches that are thrown away, one of each of the 24 points and 10 pairs to "
                                      r"confirm take .*give at least")
        # With more budget the search continues.
        (folder,) = (self.folder / "results").iterdir()
        self.tune("--budget", "10m", "--resume", folder)
        self.assertEqual(self.answer()["answer"], "better")
        # With few points all are measured in full, even if nothing could be measured.
        (self.folder / "few.yaml").write_text("name: few\nworkload: stub\nsweep: {matrix: {stub.step_us: [1, 2, 3]}}\n")
        for behaviour in ("ok", "throw_in_step"):
            done = self.stepbench("tune", "few.yaml", "--worker", STUB, "--no-lock", "--budget", "0.01s", "--set",
                                  f"stub.behaviour={behaviour}", "--results", behaviour, status=2)
            self.assertRegex(done.stderr, r"--budget: .* one of each of the 4 points and 10 pairs to confirm take [1-9]\d* s; "
                                          r"give at least [1-9]")

    def test_interrupted_search_resumes_to_the_same_answer(self):
        # Without the script nothing is random.
        words = ["--no-confirm", "--quiet"]
        self.tune(*words, "--results", "whole", worker=STUB)
        whole = self.answer("whole")
        for number, (cut, by) in enumerate(((3, signal.SIGKILL), (27, signal.SIGINT), (35, signal.SIGKILL))):
            results = f"cut{number}"
            process = subprocess.Popen([STEPBENCH, "tune", "job.yaml", "--worker", STUB, "--no-lock", *words, "--results",
                                        results], cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            while process.poll() is None and self.launches(results) < cut:
                time.sleep(0.002)
            process.send_signal(by)
            _, err = process.communicate()
            (folder,) = (self.folder / results).iterdir()
            if by == signal.SIGINT and process.returncode != 0:
                self.assertEqual(process.returncode, 130)
                self.assertIn(f"continue with --resume {results}/{folder.name}", err)
            self.tune(*words, "--resume", folder, worker=STUB)
            answer = self.answer(results)
            for part in ("winner", "rungs", "standing", "points", "seed", "answer", "changes", "bound"):
                self.assertEqual(answer[part], whole[part], part)
        # A finished search prints the same again and measures nothing.
        before = self.launches("whole")
        (folder,) = (self.folder / "whole").iterdir()
        self.tune(*words, "--resume", folder, worker=STUB)
        self.assertEqual(self.launches("whole"), before)
        self.assertEqual(self.answer("whole")["standing"], whole["standing"])

    def launches(self, results):
        return sum(file.read_text().count('"kind":"launch"') for file in (self.folder / results).glob("*/*.jsonl"))

    def test_script_arguments_are_tuned(self):
        (self.folder / "train.py").write_text(SCRIPT)
        done = self.stepbench("tune", "--python", "train.py", "--tune", "num_workers=0..3", "--interpreter", sys.executable,
                              "--set", "schedule.wait=0", "--set", "schedule.warmup=2", "--set", "schedule.active=6",
                              "--no-lock", *ANY_LOAD, "--write", "tuned.yaml", "--", "--width", "3")
        self.assertRegex(done.text, r"best: args=--width 3 --num_workers 2: step -50.0 % .* \(6.00 ms -> 3.00 ms\)")
        self.assertIn("--set 'script.args=--width 3 --num_workers 2'", done.stdout)
        answer = self.answer()
        self.assertEqual(answer["answer"], "better")
        self.assertEqual(len(answer["points"]), 5)
        plan = self.stepbench("plan", "tuned.yaml")
        self.assertIn("1 case", plan.stdout)
        for text, why in [("num_workers", "expected NAME=V1"), ("a=1,a=2", "not name a new argument"),
                          ("a=3..1", "not a range"), ("a=b c", "not a value"), ("=1", "not name a new argument")]:
            with self.subTest(text):
                self.assertIn(why, self.stepbench("tune", "train.py", "--tune", text, status=2).stderr)
        self.assertIn("gives arguments to a script", self.tune("--tune", "a=1", worker=STUB, status=2).stderr)
        self.assertIn("--tune NAME=V1,V2", self.stepbench("tune", "train.py", "--space", "loader", status=2).stderr)

    def test_point_above_the_memory_limit_ends_alone(self):
        (self.folder / "hold.py").write_text(HOLD)

        def hold(values, launches, *words):
            self.stepbench("tune", "--python", "hold.py", "--tune", f"hold_mib={values}", "--interpreter", sys.executable,
                           "--set", "schedule.wait=0", "--set", "schedule.warmup=1", "--set", "schedule.active=3",
                           "--no-lock", "--no-confirm", "--launches", launches, "--results", f"of-{launches}", *words)
            return {point["options"]["script.args"]: point for point in self.answer(f"of-{launches}")["points"]}

        points = hold("1,2,500,5000", 7, "--memory-limit", "250MiB")
        fates = {args: point["fate"] for args, point in points.items()}
        self.assertEqual(fates, {"": "measured", "--hold_mib 1": "measured", "--hold_mib 2": "measured",
                                 "--hold_mib 500": "over_memory", "--hold_mib 5000": "over_memory"})
        self.assertIn("MemoryError", points["--hold_mib 5000"]["reason"])
        # It is ended when it is first seen above the limit, maybe before it holds all of it.
        self.assertRegex(points["--hold_mib 500"]["reason"], r"held [2-5]\d\d MiB, more than 250 MiB")
        # A point without a limit, or below it, is not ended.
        self.assertEqual({point["fate"] for point in hold("1,500", 5).values()}, {"measured"})
        self.assertEqual({point["fate"] for point in hold("1,500", 6, "--memory-limit", "700MiB").values()}, {"measured"})
        # The limit is for all ranks together.
        ranks = hold("1,500", 8, "--memory-limit", "700MiB", "--set", "distributed.ranks=2")
        self.assertEqual(ranks["--hold_mib 500"]["fate"], "over_memory", ranks)
        self.assertEqual(ranks["--hold_mib 1"]["fate"], "measured", ranks)

    def test_mistakes_report_their_error(self):
        (self.folder / "one.yaml").write_text("workload: stub\n")
        (self.folder / "required.yaml").write_text(
            "workload: stub\nstub: {behaviour: nosuch}\nsweep: {matrix: {stub.behaviour: [ok], stub.step_us: [1, 2]}}\n")
        (self.folder / "other").mkdir()
        for words, text in [
                (["nosuch.yaml"], "nosuch.yaml"),
                (["one.yaml"], "has one point; a search needs a sweep"),
                (["one.yaml", "--sweep", "stub.step_us=1000"], "has one point"),
                (["one.yaml", "--sweep", "stub.step_su=1,2"], "did you mean"),
                (["required.yaml"], "nosuch"),
                # Equal points are merged into one.
                (["one.yaml", "--sweep", "stub.step_us=1000,1000.0"], "has one point"),
                (["job.yaml", "--smoke"], "--smoke"),
                (["job.yaml", "--space", "transfer"], "workload stub has no such options"),
                (["job.yaml", "--space", "lodaer"], "loader"),
                (["job.yaml", "--tune", "a=1"], "gives arguments to a script"),
                (["job.yaml", "--margin", "99"], "--margin"),
                (["job.yaml", "--report", "job.yaml"], "--report"),
                (["job.yaml", "--budget", "0s"], "--budget: expected a time"),
                (["job.yaml", "--launches", "0"], "--launches"),
                (["job.yaml", "--budget", "soon"], "--budget: expected a time such as 90s, 20m or 1.5h, found `soon`"),
                (["job.yaml", "--budget", "-5m"], "--budget"),
                (["job.yaml", "--memory-limit", "lots"], "--memory-limit: expected a size such as 512MiB"),
                (["job.yaml", "--objective", "stpe"], "did you mean 'step'"),
                (["job.yaml", "--allow", "noize"], "noise"),
                (["job.yaml", "--launches", "5"], "10 pairs to confirm the winner take 46"),
                (["job.yaml", "--resume", "nosuch"], "nosuch"),
                (["job.yaml", "--filter", "stub.step_us=7"], "no case is left"),
                (["job.yaml", "--write", "nosuch/tuned.yaml"], "nosuch"),
        ]:
            with self.subTest(words):
                done = self.stepbench("tune", *words, "--worker", STUB, "--no-lock", status=2)
                self.assertIn(text, done.stderr)
        self.tune("--no-confirm", worker=STUB)
        (folder,) = (self.folder / "results").iterdir()
        for words, text in [(["--seed", "7"], "another --seed"), (["--objective", "step_p90"], "another --objective")]:
            with self.subTest(words):
                self.assertIn(text, self.tune("--resume", folder, *words, worker=STUB, status=2).stderr)
        # Without a seed, --resume uses that of the search.
        self.tune("--no-confirm", "--seed", "7", "--results", "seven", worker=STUB)
        (seven,) = (self.folder / "seven").iterdir()
        self.tune("--no-confirm", "--resume", seven, worker=STUB)
        self.assertEqual(self.answer("seven")["seed"], 7)
        self.stepbench("run", "job.yaml", "--worker", STUB, "--no-lock", "--results", "runs")
        (run,) = (self.folder / "runs").iterdir()
        self.assertIn("is not a folder of `stepbench tune`", self.tune("--resume", run, worker=STUB, status=2).stderr)

    def test_answer_is_in_every_format(self):
        self.tune("--no-confirm", "--quiet", "--report", "page.html", "--results", "page", worker=STUB)
        page = (self.folder / "page.html").read_text()
        self.assertIn("points that were measured is better than this one by at most", page)
        self.assertIn("not confirmed", page)
        done = self.tune("--format", "json", "--quiet", "--no-confirm")
        self.assertEqual(json.loads(done.stdout)["schema"], "stepbench.tuning")
        done = self.tune("--format", "markdown", "--no-confirm", "--results", "more")
        self.assertIn("| point |", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *[f"Tune.test_{name}" for name in sys.argv[3:]]])
