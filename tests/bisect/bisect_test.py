# SPDX-License-Identifier: Apache-2.0
"""`stepbench bisect` on real repositories: bisect_test.py STEPBENCH STUB_WORKER [TEST]...

Each commit sets the speed of its program, and the build makes the program: a script around the stub worker, whose
launches vary by 1 % in scripted time."""
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
import unittest.mock

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from own_clock import on_its_own_clock  # noqa: E402

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
# Each start draws the next of one series of normal numbers; searches at once have one each.
LAUNCH = f"""\
series=NUMBER$SERIES
number=$(cat $series); echo $((number + 1)) > $series
STUB_SLOWER=$(awk "BEGIN {{ srand($number); for (i = 0; i < 12; ++i) sum += rand()
                          print ${{SLOWER}} * (1 + ${{NOISE:-0.01}} * (sum - 6)) }}")
export STUB_SLOWER
exec '{STUB}' "$@"
"""

# A script whose step time is set by its own commit.
SCRIPT = on_its_own_clock("import sys\nimport cost\n", """\
with phase("forward"):
    now_ns += int(1_000_000 * cost.SLOWER * float(sys.argv[1]))
""")
# Calls relu as often as set by its commit.
PROFILED = """\
import torch
from stepbench_worker import measure, phase
import cost
data = torch.ones(4)
for batch in measure([[1, 2]] * 100):
    with phase("forward"):
        for _ in range(cost.CALLS): data = torch.relu(data)
"""
# The same with both: counted calls, and a scripted time that exceeds that of the calls by far.
COUNTED = on_its_own_clock("import torch\nimport cost\ndata = torch.ones(4)\n", """\
with phase("forward"):
    for _ in range(cost.CALLS): data = torch.relu(data)
    now_ns += int(200_000_000 * cost.SLOWER)
""")
ANY_LOAD = "--allow load --allow steal"  # other load of this machine is not tested
SHORT = [word for each in ("wait=0", "warmup=2", "active=6") for word in ("--set", "schedule." + each)]


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
        for series in ("", "-whole", "-size"):
            number.with_name(number.name + series).write_text("1")
        (self.repository / "make.sh").write_text(MAKE.replace("LAUNCH", str(self.launch)))
        (self.repository / ".gitignore").write_text("results\nout\n")
        (self.repository / "job.yaml").write_text(EXPERIMENT)

    def git(self, *words):
        return subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", *words],
                              cwd=self.repository, text=True, capture_output=True, check=True).stdout.strip()

    def commits(self, slower, broken=()):
        """Makes a commit for each factor and returns the hashes."""
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

    def bisect(self, *words, status=0, limit_s=600):
        done = subprocess.run(self.words("--seed", 7, "--no-lock", *words), cwd=self.repository, text=True, capture_output=True,
                              env=self.environment(), timeout=limit_s)
        self.assertEqual(done.returncode, status, f"{done.args}\n{done.stdout}{done.stderr}")
        return done

    def answer(self):
        (folder,) = (self.repository / "results").iterdir()
        return json.loads((folder / "bisect.json").read_text())

    def test_culprit_among_32_commits_is_found(self):
        hashes = self.commits([1] * 20 + [1.05] * 13)
        (self.repository / "notes").write_text("not committed")
        done = self.bisect(hashes[0], "HEAD", "job.yaml", "--build", BUILD)
        self.assertIn(f'culprit: {hashes[20][:12]} "change number 20": step +', done.stdout)
        self.assertRegex(done.stdout, r"slower \|")  # the commit's change
        self.assertRegex(" ".join(done.stdout.split()), r"confidence 95.0 %; \d builds, \d+ launches, \d")
        answer = self.answer()
        self.assertEqual(answer["culprit"]["commit"], hashes[20])
        self.assertAlmostEqual(answer["culprit"]["change"]["change"], 0.05, delta=0.015)
        self.assertGreaterEqual(answer["range"]["chance"], 0.98)
        self.assertNotIn("layout", answer)  # of scripts, which have none
        self.assertLessEqual(answer["builds"], 5 + 2 + 2)  # log2 32, the ends, and one or two more because of noise
        self.assertLessEqual(answer["launches"], 200)
        self.assertEqual((self.repository / "notes").read_text(), "not committed")
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)
        # Git can continue from the log.
        (log,) = (self.repository / "results").glob("*/bisect.log")
        self.assertIn(f"git bisect replay {log}", " ".join(done.stdout.split()))
        self.git("stash", "-q")
        self.assertIn(f"{hashes[20]} is the first bad commit", self.git("bisect", "replay", str(log)))
        self.git("bisect", "reset")
        # The proposed command repeats the comparison.
        command = re.search(r"stepbench (ab .*--metric step)", done.stdout).group(1)
        again = subprocess.run(f"{STEPBENCH} {command} --pairs 10 --no-lock {ANY_LOAD}", shell=True, cwd=self.repository, text=True,
                               capture_output=True, env=self.environment())
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)

    def test_unbuildable_commit_is_skipped(self):
        hashes = self.commits([1] * 6 + [1.05] * 6, broken={5, 6})
        done = self.bisect(hashes[0], hashes[-1], "job.yaml", "--build", BUILD, status=1)
        self.assertIn("syntax error on line 3", done.stdout)
        answer = self.answer()
        self.assertEqual((answer["range"]["after"], answer["range"]["last"]), (hashes[4], hashes[7]))
        self.assertEqual((answer["range"]["commits"], answer["range"]["left_out"]), (3, 2))
        self.assertRegex(done.stdout, "one of the 3 commits after .* up to .*, chance 9[89]|chance 100")
        # Broken commits that hide nothing cost only their failed builds; here they are built in parallel.
        hashes = self.commits([1] * 3 + [1.05] * 9, broken={5})
        done = self.bisect(hashes[0], hashes[-1], "job.yaml", "--build", BUILD, "--jobs", 3, "--results", "elsewhere")
        self.assertIn(f"culprit: {hashes[3][:12]}", done.stdout)
        answer = json.loads(next((self.repository / "elsewhere").glob("*/bisect.json")).read_text())
        self.assertGreater(answer["builds"], done.stderr.count("building "))
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)

    def test_good_end_beside_the_line_is_refused(self):
        (base,) = self.commits([1.1])
        self.git("checkout", "-q", "-b", "release")
        self.commits([1])
        self.git("checkout", "-q", "main")
        self.git("commit", "-q", "--allow-empty", "-m", "a comment")
        comment = self.git("rev-parse", "HEAD")
        self.git("merge", "-q", "--no-ff", "-X", "ours", "-m", "the merge", "release")
        done = self.bisect("release", "HEAD", "job.yaml", "--build", BUILD, status=2)
        self.assertIn(f"merge base on that line is {base[:12]}, begin there", done.stderr)
        self.assertNotIn(comment[:12], done.stderr)

    COMPILED = """\
mkdir -p out && cat > start.cpp << END && c++ start.cpp -o out/stepbench-worker
#include <cstdlib>
#include <unistd.h>
int main(int, char** words) {
  const char* number = "n=\\$(cat NUMBER); echo \\$((n + 1)) > NUMBER";
  std::system(number);
  setenv("STUB_SLOWER", "$(cat slower)", 1);
  return execv("STUB", words);
}
END
"""

    def test_linked_programs_are_built_apart(self):
        build = self.COMPILED.replace("NUMBER", str(self.folder / "number")).replace("STUB\"", f"{STUB}\"")
        (self.repository / "make.sh").write_text(build)
        hashes = self.commits([1] * 3 + [1.1] * 2)
        done = self.bisect(hashes[0], hashes[-1], "job.yaml", "--build", BUILD, "--jobs", 2)
        self.assertIn(f"culprit: {hashes[3][:12]}", done.stdout)
        self.assertIn("built apart", done.stdout)
        answer = self.answer()
        self.assertTrue(answer["drawn_anew"])
        self.assertGreater(answer["layout"], 0)
        apart = [each for each in answer["judged"] if each["apart"]]
        self.assertEqual([each["commit"] for each in apart], [hashes[3]] * 2)
        (folder,) = (self.repository / "results").iterdir()
        programs = {name.name: (name / "program/stepbench-worker").read_bytes()
                    for name in (folder / "programs").iterdir()}
        builds = [programs[name] for name in sorted(programs) if name.startswith(hashes[3][:12])]
        self.assertGreaterEqual(len(set(builds)), 2)
        self.assertEqual(len(set(builds)), len(builds))
        # Facts that nights learn after the search began do not change it.
        searched = json.loads((folder / "bisect.json").read_text())
        (folder / "bisect.json").write_text(json.dumps({**searched, "known_layout": 0.02}))
        self.bisect(hashes[0], hashes[-1], "job.yaml", "--build", BUILD, "--resume", folder)
        self.assertGreater(self.answer()["layout"], 0.01)
        # Without a replaceable linker there is no other layout.
        done = self.bisect(hashes[0], hashes[-1], "job.yaml", "--build", "unset COMPILER_PATH; " + BUILD, "--results", "same",
                           status=1)
        self.assertIn(f"likely, not sure: {hashes[3][:12]}", done.stdout)
        self.assertIn("both of its builds have the same memory layout", " ".join(done.stdout.split()))

    def test_dry_run_prints_the_cost(self):
        hashes = self.commits([1] * 9)
        words = [hashes[0], "HEAD", "job.yaml", "--build", BUILD]
        done = self.bisect(*words, "--dry-run")
        self.assertRegex(done.stdout, r"8 commits to search .*\nabout 9 builds, at most 18, by `sh make.sh`\n"
                                      r"about 100 launches, at most \d+; not measured before")
        self.assertFalse((self.repository / "results").exists())
        self.assertIn("comes after it", self.bisect("HEAD", hashes[0], *words[2:], "--dry-run", status=2).stderr)

    def test_search_of_an_older_version_names_its_program(self):
        hashes = self.commits([1, 1.05])
        folder = self.repository / "results" / "20260131-120000-bisect-job"
        folder.mkdir(parents=True)
        (folder / "bisect.json").write_text('{"schema":"stepbench.bisect","schema_version":"1.1.0","commits":[]}')
        done = self.bisect(*hashes, "job.yaml", "--build", BUILD, "--resume", folder, status=2)
        self.assertIn("a search of stepbench 0.1; continue it", done.stderr)

    def test_mistake_or_equal_end_reports_its_cause(self):
        hashes = self.commits([1, 1])
        done = self.bisect(hashes[0], "HEAD", "job.yaml", "--build", BUILD, status=3)
        self.assertIn("not reproduced", done.stdout)
        self.assertRegex(done.stdout, r"a change above \+\d")
        self.assertEqual(self.answer()["answer"], "not_reproduced")
        (self.repository / "two.yaml").write_text(EXPERIMENT + "sweep: {matrix: {stub.step_us: [1000, 2000]}}\n")
        (self.repository / "large").write_bytes(b"x" * (1 << 20))
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "two cases and a large file")
        usual = ["job.yaml", "--build", BUILD]
        for words, text in [
                (["nosuch", "HEAD", *usual], "nosuch: is not a commit, branch or tag"),
                (["HEAD", hashes[0], *usual], "give the good commit first"),
                ([hashes[0], "HEAD", "job.yaml"], "--build: expected the command"),
                ([hashes[0], "HEAD", "nosuch.yaml", "--build", BUILD], "nosuch.yaml"),
                ([hashes[0], "HEAD", "two.yaml", "--build", BUILD], "has 2 cases"),
                ([hashes[0], "HEAD", "job.yaml", "--build", "true"], "produced no stepbench-worker"),
                ([hashes[0], "HEAD", "job.yaml", "--build", "exit 9"], "the build failed with exit status 9"),
                ([hashes[0], "HEAD", *usual, "--metric", "stpe"], "did you mean 'step'"),
                ([hashes[0], "HEAD", *usual, "--resume", "nosuch"], "nosuch"),
                ([hashes[0], "HEAD", *usual, "--confidence", "100"], "--confidence"),
        ]:
            with self.subTest(words):
                self.assertIn(text, self.bisect(*words, status=2).stderr)
        # No space for a tree.
        done = subprocess.run(["sh", "-c", 'ulimit -f 256; exec "$@"', "sh",
                               *self.words(hashes[0], "HEAD", *usual, "--no-lock")],
                              cwd=self.repository, text=True, capture_output=True, env=self.environment(), timeout=600)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("cannot be checked out", done.stderr)
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)
        self.assertEqual(self.git("status", "--porcelain"), "")

    def scripts(self, text, costs):
        (self.repository / "job").mkdir()
        (self.repository / "job/train.py").write_text(text)
        hashes = []
        for number, cost in enumerate(costs):
            (self.repository / "job/cost.py").write_text(f"{cost}  # {number}\n")
            self.git("add", "-A")
            self.git("commit", "-q", "-m", f"change number {number}")
            hashes.append(self.git("rev-parse", "HEAD"))
        return hashes

    def test_each_commit_runs_its_own_scripts(self):
        hashes = self.scripts(SCRIPT, ["SLOWER = 1.0"] * 5 + ["SLOWER = 1.04"] * 3)
        (self.repository / "job/cost.py").write_text("SLOWER = 7.0")  # in the user's own tree, which is not read
        done = self.bisect(hashes[0], hashes[-1], "--python", "job/train.py", "--interpreter", sys.executable, *SHORT,
                           "--", "2.0")
        self.assertRegex(done.stdout, f'culprit: {hashes[5][:12]} "change number 5": step [+]4.00 % in forward, confidence')
        self.assertEqual(self.answer()["builds"], 0)
        # Values may be in the commit's tree.
        (self.repository / "script.yaml").write_text("workload: python_script\nscript: {path: job/train.py, args: '1'}\n")
        done = self.bisect(hashes[0], hashes[-1], "script.yaml", "--set", "script.path={worktree}/job/train.py", "--build",
                           "test -e job/train.py", "--interpreter", sys.executable, *SHORT, "--results", "trees")
        self.assertIn(f"culprit: {hashes[5][:12]}", done.stdout)
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)
        # A commit without the script is skipped, and the build command may make files that the script needs.
        self.git("rm", "-q", "job/train.py")
        self.git("commit", "-q", "-m", "no script")
        done = self.bisect(hashes[0], "HEAD", "--python", "job/train.py", "--interpreter", sys.executable, *SHORT, status=2)
        self.assertIn("job/train.py", done.stderr)

    def test_counts_find_a_step_without_noise(self):
        hashes = self.scripts(PROFILED, ["CALLS = 4"] * 3 + ["CALLS = 5"] * 2)
        done = self.bisect(hashes[0], hashes[-1], "--python", "job/train.py", "--interpreter", sys.executable, *SHORT,
                           "--metric", "counts")
        self.assertRegex(done.stdout, f'culprit: {hashes[3][:12]} "change number 3": (op_calls|cpu_allocated_bytes) [+]25.0 %')
        self.assertRegex(done.stdout, r"in forward \(aten::\w+\s+\+1.00 calls/step\), counted")
        answer = self.answer()
        self.assertIn(answer["counted"], ("op_calls", "cpu_allocated_bytes"))

    def test_counts_narrow_and_times_decide(self):
        """Commits that call an operation more often, on a clock of the script's own: it is slower by 4 % of it."""
        calls = [4] * 3 + [5] * 6
        hashes = self.scripts(COUNTED, [f"CALLS, SLOWER = {n}, {1 if n == 4 else 1.04}" for n in calls])
        words = ["--python", "job/train.py", "--interpreter", sys.executable, *SHORT]
        done = self.bisect(hashes[0], hashes[-1], *words, limit_s=3000)
        self.assertRegex(done.stdout, f'culprit: {hashes[3][:12]} "change number 3": step [+]4.0')
        answer = self.answer()
        self.assertIn(answer["counted"], ("op_calls", "cpu_allocated_bytes"))
        self.assertIn(answer["counted"] + " moved in the same commit", " ".join(done.stdout.split()))
        self.assertEqual([each["apart"] for each in answer["judged"]], [False, True, True])  # the ends and their copies

    def test_counts_changed_elsewhere_do_not_mislead(self):
        hashes = self.scripts(COUNTED, ["CALLS, SLOWER = 4, 1", "CALLS, SLOWER = 5, 1", "CALLS, SLOWER = 5, 1",
                                        "CALLS, SLOWER = 5, 1.04", "CALLS, SLOWER = 5, 1.04"])
        words = ["--python", "job/train.py", "--interpreter", sys.executable, *SHORT]
        done = self.bisect(hashes[0], hashes[-1], *words, limit_s=3000)
        self.assertIn("moved between the ends: it is counted in the commits", done.stderr)
        self.assertNotIn("moved in the same commit", done.stdout)
        self.assertRegex(done.stdout, f'culprit: {hashes[3][:12]} "change number 3": step [+]4.0')
        # No count changed: counts are not mentioned, and each commit is timed.
        done = self.bisect(hashes[1], hashes[-1], *words, "--results", "again", limit_s=3000)
        self.assertIn(f"culprit: {hashes[3][:12]}", done.stdout)
        self.assertNotIn("counted", done.stdout)
        done = self.bisect(hashes[1], hashes[2], *words, "--metric", "counts", "--results", "counts", status=3)
        self.assertIn("not reproduced", done.stdout)

    def test_two_searches_find_the_first_step_of_the_size(self):
        hashes = self.commits([1.0] * 2 + [1.03] * 4 + [1.1] * 4)
        usual = ["--seed", 7, hashes[0], hashes[-1], "job.yaml", "--build", BUILD, "--no-lock"]
        searches = [("-whole", ["--results", "whole"], hashes[6]), ("-size", ["--size", "3"], hashes[2])]
        both = [subprocess.Popen(self.words(*usual, *words), cwd=self.repository, text=True, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, env={**self.environment(), "SERIES": series})
                for series, words, _ in searches]
        for process, (_, _, culprit) in zip(both, searches):
            out, err = process.communicate(timeout=600)
            self.assertEqual(process.returncode, 0, out + err)
            self.assertIn(f"culprit: {culprit[:12]}", out)
        self.assertIn("further change elsewhere: +", out)
        self.assertAlmostEqual(self.answer()["size"], 0.03)
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)

    def test_merge_is_searched_on_request(self):
        first = self.commits([1.0] * 3)
        self.git("checkout", "-q", "-b", "branch", first[1])
        inside = self.commits([1.0, 1.05, 1.05])
        self.git("checkout", "-q", "main")
        self.git("merge", "-q", "--no-ff", "-X", "theirs", "-m", "the merge", "branch")
        words = [first[0], "HEAD", "job.yaml", "--build", BUILD]
        done = self.bisect(*words, "--results", "whole")
        self.assertRegex(done.stdout, 'culprit: [0-9a-f]{12} "the merge"')
        self.assertRegex(done.stdout, f"--all, or `stepbench bisect {first[1][:12]} {inside[-1][:12]}")
        done = self.bisect(*words, "--all")
        self.assertTrue(done.stdout.startswith(f'culprit: {inside[1][:12]} "change number 1"'), done.stdout)
        self.assertEqual(self.answer()["inside"][0]["culprit"]["commit"], inside[1])

    def test_build_command_fetches_submodules(self):
        library = self.folder / "library"
        library.mkdir()
        outer, self.repository = self.repository, library
        self.git("init", "-q", "-b", "main")
        (library / "part").write_text("1\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "part")
        self.repository = outer
        self.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "library")
        hashes = self.commits([1] * 3 + [1.05] * 3)
        needs = "test -e library/part || { echo no part; exit 1; }; " + BUILD
        done = self.bisect(hashes[0], hashes[-1], "job.yaml", "--build", needs, status=2)
        self.assertIn("git submodule update --init", done.stderr)
        brings = "git -c protocol.file.allow=always submodule update --init -q; " + needs
        done = self.bisect(hashes[0], hashes[-1], "job.yaml", "--build", brings, "--results", "brought")
        self.assertIn(f"culprit: {hashes[3][:12]}", done.stdout)
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)

    def test_versions_are_searched_like_commits(self):
        self.commits([1])
        # The workers are equal; what the version's interpreter is sets the speed.
        build = ("case {version} in 2.1*|2.2*) s=1.06;; *) s=1;; esac; mkdir -p out; echo $s > python; "
                 f"printf '#!/bin/sh\\nSLOWER=$(cat \"$STEPBENCH_PYTHON\")\\n. {self.launch}\\n' > out/stepbench-worker; "
                 "chmod +x out/stepbench-worker")
        done = self.bisect("1.8", "2.2", "job.yaml", "--versions", "1.7,1.8,1.9,2.0,2.1,2.2", "--build", build,
                           "--worker", "out/stepbench-worker", "--interpreter", "{worktree}/python")
        self.assertIn("culprit: 2.1: step +", done.stdout)
        self.assertIn("fresh pairs", done.stdout)

    @unittest.mock.patch.dict(os.environ, NOISE="0")  # a launch that was cut off and is repeated draws another number
    def test_killed_search_resumes_to_the_same_answer(self):
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
        for name in ("range", "answer"):
            self.assertEqual(answer[name], expected[name])
        self.assertEqual(answer["builds"], expected["builds"])
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)

    def when_it_builds(self, sign, starts="{} & wait"):
        """Returns status and output of a search that gets a signal while it builds; the build's process has ended."""
        hashes = self.commits([1, 1.05])
        pid = self.folder / "pid"
        build = starts.format(f"sh -c 'sleep 1000 & echo $! > {pid}.part; mv {pid}.part {pid}; wait'")
        words = self.words(*hashes, "job.yaml", "--build", build, "--no-lock", "--results", "my $(touch x)")
        process = subprocess.Popen(words, cwd=self.repository, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=self.environment())
        self.until(pid.exists)
        process.send_signal(sign)
        _, err = process.communicate(timeout=600)
        # Ended, though perhaps not reaped: some containers have no process that reaps orphans.
        self.until(lambda: not os.path.exists(f"/proc/{pid.read_text().strip()}/exe"))
        return process.returncode, err

    def until(self, holds):
        end = time.monotonic() + 600
        while not holds() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertTrue(holds())

    def test_search_after_a_kill_removes_its_trees(self):
        self.when_it_builds(signal.SIGKILL)
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 2)
        hashes = self.commits([1, 1.05])
        self.bisect(*hashes, "job.yaml", "--build", BUILD, "--results", self.folder / "others")
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)

    def test_interrupted_build_exits_as_interrupted(self):
        status, err = self.when_it_builds(signal.SIGINT)
        self.assertEqual(status, 130, err)
        self.assertRegex(err, r"continue with --resume '.*my \$\(touch x\)/.*'")
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)

    def test_daemon_of_a_build_ends_with_the_search(self):
        status, err = self.when_it_builds(signal.SIGTERM, "setsid env -i {} & wait")
        self.assertEqual(status, 143, err)

    def test_search_killed_before_its_file_restarts(self):
        hashes = self.commits([1, 1.05])
        folder = self.repository / "results" / "20260131-120000-bisect-job"
        folder.mkdir(parents=True)
        self.bisect(*hashes, "job.yaml", "--build", BUILD, "--resume", folder)
        self.assertEqual(self.answer()["answer"], "found")

    def test_git_hook_leaves_the_users_index(self):
        hashes = self.commits([1, 1.05])
        variables = {"GIT_DIR": str(self.repository / ".git"), "GIT_INDEX_FILE": str(self.repository / ".git" / "index")}
        with unittest.mock.patch.dict(os.environ, variables):
            self.bisect(*hashes, "job.yaml", "--build", BUILD)
        self.assertEqual(self.git("status", "--porcelain"), "")

    def test_secrets_of_builds_and_settings_are_not_stored(self):
        hashes = self.commits([1, 1.05])
        build = "export API_KEY=kept-out-1; echo $CI_TOKEN https://me:kept-out-2@host/; " + BUILD
        with unittest.mock.patch.dict(os.environ, {"CI_TOKEN": "kept-out-3"}):
            done = self.bisect(*hashes, "job.yaml", "--build", build, "--set", "env.HF_TOKEN=kept-out-4")
        files = [path for path in (self.repository / "results").rglob("*") if path.is_file()]
        self.assertTrue(any(path.suffix == ".log" for path in files))
        for text in (done.stdout, done.stderr, *(path.read_text(errors="replace") for path in files)):
            self.assertNotIn("kept-out", text)

    def measured(self):
        files = (self.repository / "results").glob("*/[cer]*/*/*.jsonl")  # trees are made and removed
        return sum(file.read_bytes().count(b'{"kind":"launch"') for file in files)

    def when_more_is_measured(self, process, launches):
        end = time.monotonic() + 600
        while self.measured() < launches and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)


if __name__ == "__main__":
    tests = [f"Bisect.test_{name}" for name in sys.argv[3:]]
    unittest.main(argv=[sys.argv[0], *tests], verbosity=2)
