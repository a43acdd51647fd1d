# SPDX-License-Identifier: Apache-2.0
"""`stepbench bisect` on real repositories: bisect_test.py STEPBENCH STUB_WORKER [TEST]...

Each commit holds how slow its program is, and the build makes the program of it: a script around the stub worker,
whose launches vary by 1 % and last no time."""
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

STEPBENCH, STUB = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()

EXPERIMENT = """\
name: job
workload: stub
stub: {step_us: 1000, jitter: 0.05}
schedule: {wait: 0, warmup: 2, active: 8}
launches: 2
"""
BUILD = "sh make.sh"
MAKE = """\
test -e broken && { echo 'syntax error on line 3' >&2; exit 1; }
mkdir -p out
cat > out/stepbench-worker << END
#!/bin/sh
# $(git rev-parse HEAD)
SLOWER=$(cat slower)
. LAUNCH
END
chmod +x out/stepbench-worker
"""
# Each start draws the next of one row of normal numbers.
LAUNCH = f"""\
number=$(cat NUMBER); echo $((number + 1)) > NUMBER
STUB_SLOWER=$(awk "BEGIN {{ srand($number); for (i = 0; i < 12; ++i) sum += rand()
                          print ${{SLOWER}} * (1 + 0.01 * (sum - 6)) }}")
export STUB_SLOWER
exec '{STUB}' "$@"
"""


class Bisect(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.repository = self.folder / "repository"
        self.repository.mkdir()
        self.git("init", "-q", "-b", "main")
        self.launch, number = self.folder / "launch", self.folder / "number"
        self.launch.write_text(LAUNCH.replace("NUMBER", str(number)))
        number.write_text("1")
        (self.repository / "make.sh").write_text(MAKE.replace("LAUNCH", str(self.launch)))
        (self.repository / ".gitignore").write_text("results\nout\n")
        (self.repository / "job.yaml").write_text(EXPERIMENT)

    def git(self, *words):
        return subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", *words],
                              cwd=self.repository, text=True, capture_output=True, check=True).stdout.strip()

    def commits(self, slower, broken=()):
        """A commit for each factor; their hashes."""
        hashes = []
        for number, factor in enumerate(slower):
            (self.repository / "slower").write_text(str(factor))
            (self.repository / "notes").write_text(str(number))
            mark = self.repository / "broken"
            mark.touch() if number in broken else mark.unlink(missing_ok=True)
            self.git("add", "-A")
            self.git("commit", "-q", "-m", f"change number {number}")
            hashes.append(self.git("rev-parse", "HEAD"))
        return hashes

    def words(self, *words):
        return [STEPBENCH, "bisect", *map(str, words)]

    def environment(self):
        return {**os.environ, "HOME": str(self.folder), "XDG_CACHE_HOME": str(self.folder / "cache"),
                "XDG_STATE_HOME": str(self.folder / "state"), "NO_COLOR": "1"}

    def bisect(self, *words, status=0):
        done = subprocess.run(self.words("--seed", 7, *words, "--no-lock"), cwd=self.repository, text=True, capture_output=True,
                              env=self.environment(), timeout=600)
        self.assertEqual(done.returncode, status, f"{done.args}\n{done.stdout}{done.stderr}")
        return done

    def answer(self):
        (folder,) = (self.repository / "results").iterdir()
        return json.loads((folder / "bisect.json").read_text())

    def test_a_culprit_is_found_among_32_commits(self):
        hashes = self.commits([1] * 20 + [1.05] * 13)
        (self.repository / "notes").write_text("not committed")
        done = self.bisect(hashes[0], "HEAD", "job.yaml", "--build", BUILD)
        self.assertIn(f'culprit: {hashes[20][:12]} "change number 20": step +', done.stdout)
        self.assertRegex(done.stdout, r"slower \|")  # what the commit changed
        answer = self.answer()
        self.assertEqual(answer["culprit"]["commit"], hashes[20])
        self.assertAlmostEqual(answer["culprit"]["step_change"]["change"], 0.05, delta=0.015)
        self.assertEqual(answer["builds"], 5 + 2)  # ceil(log2 32) and the ends
        self.assertLessEqual(answer["launches"], 80)
        self.assertEqual((self.repository / "notes").read_text(), "not committed")
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)
        # The command that repeats it is one.
        command = re.search(r"stepbench (ab .*--metric step)", done.stdout).group(1)
        again = subprocess.run(f"{STEPBENCH} {command} --pairs 10 --no-lock", shell=True, cwd=self.repository, text=True,
                               capture_output=True, env=self.environment())
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)

    def test_an_end_that_is_not_slower_is_said(self):
        hashes = self.commits([1, 1, 1])
        done = self.bisect(hashes[0], "HEAD", "job.yaml", "--build", BUILD, status=3)
        self.assertIn("not reproduced", done.stdout)
        self.assertRegex(done.stdout, r"a change above \+\d")
        self.assertEqual(self.answer()["answer"], "not_reproduced")

    def test_a_commit_that_cannot_be_built_is_gone_around(self):
        hashes = self.commits([1] * 6 + [1.05] * 6, broken={5, 6})
        done = self.bisect(hashes[0], hashes[-1], "job.yaml", "--build", BUILD, status=1)
        self.assertIn("syntax error on line 3", done.stdout)
        answer = self.answer()
        self.assertEqual((answer["last_good"], answer["first_bad"]), (hashes[4], hashes[7]))
        # Where the broken ones hide nothing they cost nothing but the attempt.
        hashes = self.commits([1] * 3 + [1.05] * 9, broken={5})
        self.bisect(hashes[0], hashes[-1], "job.yaml", "--build", BUILD, "--results", "elsewhere")

    def test_what_came_after_the_culprit_is_told(self):
        hashes = self.commits([1] * 3 + [1.08] * 3 + [1.12] * 3)
        done = self.bisect(hashes[0], hashes[-1], "job.yaml", "--build", BUILD)
        self.assertIn(f"culprit: {hashes[3][:12]}", done.stdout)
        self.assertIn("later commits made it slower again", done.stdout)

    def test_several_cases_are_refused(self):
        hashes = self.commits([1, 1.05])
        (self.repository / "job.yaml").write_text(EXPERIMENT + "sweep: {matrix: {stub.step_us: [1000, 2000]}}\n")
        done = self.bisect(hashes[0], hashes[1], "job.yaml", "--build", BUILD, status=2)
        self.assertRegex(done.stderr, "has 2 cases.*--case ID")
        self.bisect(hashes[0], hashes[1], "job.yaml", "--build", BUILD, "--filter", "stub.step_us=2000")

    def test_mistakes_are_answered(self):
        hashes = self.commits([1, 1.05])
        for words, text in [
                (["nosuch", "HEAD", "job.yaml", "--build", BUILD], "nosuch: is no commit, branch or tag"),
                (["HEAD", hashes[0], "job.yaml", "--build", BUILD], "the good commit stands first"),
                ([hashes[0], "HEAD", "job.yaml"], "--build: expected the command"),
                ([hashes[0], "HEAD", "nosuch.yaml", "--build", BUILD], "nosuch.yaml"),
                ([hashes[0], "HEAD", "job.yaml", "--build", "true"], "left no stepbench-worker"),
                ([hashes[0], "HEAD", "job.yaml", "--build", BUILD, "--metric", "stpe"], "did you mean 'step'"),
                ([hashes[0], "HEAD", "job.yaml", "--build", BUILD, "--resume", "nosuch"], "nosuch"),
                ([hashes[0], "HEAD", "job.yaml", "--build", BUILD, "--confidence", "100"], "--confidence"),
        ]:
            with self.subTest(words):
                self.assertIn(text, self.bisect(*words, status=2).stderr)
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)

    def test_versions_stand_in_place_of_commits(self):
        self.commits([1])
        build = (f"case {{version}} in 2.1*|2.2*) s=1.06;; *) s=1;; esac; mkdir -p out; "
                 f"printf '#!/bin/sh\\n# {{version}}\\nSLOWER=%s\\n. {self.launch}\\n' $s > out/stepbench-worker; "
                 "chmod +x out/stepbench-worker")
        done = self.bisect("1.8", "2.2", "job.yaml", "--versions", "1.7,1.8,1.9,2.0,2.1,2.2", "--build", build)
        self.assertIn("culprit: 2.1: step +", done.stdout)

    def test_a_killed_search_goes_on_to_the_same_answer(self):
        hashes = self.commits([1] * 9 + [1.05] * 8)
        words = [hashes[0], hashes[-1], "job.yaml", "--build", BUILD]
        self.bisect(*words, "--results", "whole")
        (whole,) = (self.repository / "whole").iterdir()
        expected = json.loads((whole / "bisect.json").read_text())
        launches = 0
        for number, sign in enumerate([signal.SIGKILL, signal.SIGINT, signal.SIGKILL, signal.SIGTERM, None]):
            resume = ["--resume", *(self.repository / "results").iterdir()] if number else []
            process = subprocess.Popen(self.words("--seed", 7, *words, "--no-lock", *resume), cwd=self.repository,
                                       text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment())
            if sign is None:
                out, err = process.communicate(timeout=600)
                self.assertEqual(process.returncode, 0, out + err)
                break
            self.when_more_is_measured(process, launches + 9)
            process.send_signal(sign)
            process.communicate(timeout=600)
            launches = self.measured()
        answer = self.answer()
        self.assertEqual(answer["culprit"]["commit"], expected["culprit"]["commit"])
        for name in ("last_good", "first_bad", "answer"):
            self.assertEqual(answer[name], expected[name])
        self.assertEqual(answer["builds"], expected["builds"])
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)

    def measured(self):
        files = (self.repository / "results").glob("*/[cer]*/*/*.jsonl")  # trees come and go
        return sum(file.read_bytes().count(b'{"kind":"launch"') for file in files)

    def when_more_is_measured(self, process, launches):
        end = time.monotonic() + 600
        while self.measured() < launches and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)


if __name__ == "__main__":
    tests = [f"Bisect.test_{name}" for name in sys.argv[3:]]
    unittest.main(argv=[sys.argv[0], *tests], verbosity=2)
