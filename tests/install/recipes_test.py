# SPDX-License-Identifier: Apache-2.0
"""The CI recipes of tools/examples in a clean checkout: recipes_test.py SOURCE_DIR BUILD_DIR [TEST]...

Every line of a job runs as written, on tracked files only, with the real worker and the real experiments. Only
installing and compiling are skipped: cmake provides this build. Cases are small and few."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

SOURCE, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
PROGRAMS = BUILD / "tools/stepbench"
PATIENCE_S = 900  # anything slower hangs, on any machine
GITHUB = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")
GITLAB = ("bash", "-eo", "pipefail", "-c")
SHORT = "--set schedule.warmup=1 --set schedule.active=2 --set model.kind=mlp --set device=cpu --no-lock"
SHORT_NIGHT = "--set schedule.warmup=1 --set schedule.active=2 --set launches=2 --set device=cpu --no-lock"
ONE_CASE = "--filter num_workers=1"  # it reads the files
ALLOW = " ".join(f"--allow {what}" for what in ("noise", "drift", "load", "steal", "throttling", "clocks"))

# The tests cannot be configured without their packages, which tools/setup does not install.
CMAKE = f"""#!/bin/sh
echo "cmake $*" >> "$ASKED"
case "$*" in
  *--build*) mkdir -p build/ci/tools && ln -sfn "$PROGRAMS" build/ci/tools/stepbench ;;
  *-DSTEPBENCH_TESTS=OFF*-DSTEPBENCH_BENCHMARKS=OFF*) ;;
  *) echo "GTest was not found" >&2; exit 1 ;;
esac
"""
# The program with less work; 2 pairs decide nothing, which is status 3.
STEPBENCH = f"""#!/bin/sh
echo "stepbench $*" >> "$ASKED"
command=$1
shift
set -- $(for word; do [ "$word" = --wait-lock ] || echo "$word"; done)
case $command in
  run) set -- "$@" {SHORT} ;;
  ab) set -- "$@" {SHORT} {ONE_CASE} --pairs 2 {ALLOW} ;;
  nightly) set -- "$@" {SHORT_NIGHT} ;;
esac
exec {PROGRAMS}/stepbench $command "$@"
"""


def git(folder, *words):
    return subprocess.run(["git", "-c", "user.name=me", "-c", "user.email=me@example.com", *words], cwd=folder, check=True,
                          capture_output=True, text=True).stdout.strip()


class Recipes(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.top = pathlib.Path(temporary.name).resolve()
        self.checkout = self.top / "checkout"
        tracked = git(SOURCE, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
        for name in filter(None, tracked):
            if (SOURCE / name).is_file():  # neither deleted nor a folder of another repository
                (self.checkout / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(SOURCE / name, self.checkout / name)
        self.write(self.checkout / "tools/setup", '#!/bin/sh\necho "setup $*" >> "$ASKED"\n')
        git(self.checkout, "init", "--quiet", "--initial-branch=main")
        git(self.checkout, "add", "--all")
        git(self.checkout, "commit", "--quiet", "--message", "base")
        self.base = git(self.checkout, "rev-parse", "HEAD")
        git(self.checkout, "commit", "--quiet", "--allow-empty", "--message", "change")
        self.programs = self.top / "programs"
        self.write(self.programs / "stepbench", STEPBENCH)
        (self.programs / "stepbench-worker").symlink_to(PROGRAMS / "stepbench-worker")
        self.write(self.top / "bin/cmake", CMAKE)
        for name in ("home", "temporary"):
            (self.top / name).mkdir()
        self.asked = self.top / "asked"

    def write(self, file, text):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)

    def run_shell(self, shell, command, expected=(0,), **variables):
        environment = {"PATH": f"{self.top}/bin:{os.environ['PATH']}", "HOME": str(self.top / "home"),
                       "ASKED": str(self.asked), "PROGRAMS": str(self.programs), "CUDA_VISIBLE_DEVICES": "",
                       "XDG_CACHE_HOME": str(self.top / "cache"), **variables}
        done = subprocess.run([*shell, command], cwd=self.checkout, env=environment, text=True, capture_output=True,
                              timeout=PATIENCE_S)
        self.assertIn(done.returncode, expected, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def expect_measured(self, kept):
        """Checks that all kept files exist and show a measurement."""
        for name in kept:
            self.assertTrue((self.checkout / name).exists(), name)
        self.assertRegex((self.checkout / "bench/comment.md").read_text(), r"num_workers|\| step")
        self.assertNotIn("failed", (self.checkout / "bench/smoke.txt").read_text())

    def steps(self, file, job):
        return yaml.safe_load((self.checkout / "tools/examples" / file).read_text())["jobs"][job]["steps"]

    def test_github_pull_request_gets_its_verdict(self):
        summary = self.top / "summary.md"
        steps = self.steps("ci/github.yml", "measure")
        environment = {"BASE": self.base, "RUNNER_TEMP": str(self.top / "temporary"), "GITHUB_STEP_SUMMARY": str(summary)}
        for step in steps:
            if "run" in step:
                undecided = (0, 3) if step["name"] == "Measure" else (0,)
                self.run_shell(GITHUB, step["run"], undecided, **environment)
        kept, = [step["with"]["path"].split() for step in steps if "upload-artifact" in step.get("uses", "")]
        self.expect_measured(kept)
        self.assertTrue(summary.read_text())

    def test_gitlab_merge_request_gets_its_verdict(self):
        job = yaml.safe_load((self.checkout / "tools/examples/ci/gitlab.yml").read_text())["benchmark"]
        for line in job["before_script"]:
            self.run_shell(GITLAB, line, CI_MERGE_REQUEST_DIFF_BASE_SHA=self.base)
        for line in job["script"]:
            self.run_shell(GITLAB, line, (0, *job["allow_failure"]["exit_codes"]))
        self.expect_measured([*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()])

    def blocks(self, file):
        return re.findall(r"```sh\n(.*?)```", (self.checkout / file).read_text(), re.S)

    def test_pull_request_by_hand_uses_counts(self):
        by_hand, by_counts = self.blocks("tools/examples/ci/README.md")
        for name in ("old", "new"):
            (self.checkout / name).symlink_to(self.programs)
        path = f"{self.programs}:{self.top}/bin:{os.environ['PATH']}"
        self.run_shell(("sh", "-ec"), by_hand, (0, 3), PATH=path)
        self.expect_measured(["bench/verdict.json"])
        for name in ("old", "new"):  # the second block puts results there
            (self.checkout / name).unlink()
            (self.checkout / name).mkdir()
            (self.checkout / name / "stepbench-worker").symlink_to(PROGRAMS / "stepbench-worker")
        shutil.copy(self.checkout / "configs/train_mlp.yaml", self.checkout / "train.yaml")
        self.run_shell(("sh", "-ec"), by_counts, PATH=path)
        self.assertTrue((self.checkout / "report.xml").exists())

    def test_github_night_is_measured(self):
        summary = self.top / "summary.md"
        steps = self.steps("nightly/github.yml", "nightly")
        for step in steps:
            if "run" in step:
                self.run_shell(GITHUB, step["run"], GITHUB_STEP_SUMMARY=str(summary), GITHUB_REF_NAME="main")
        kept, = [step["with"]["path"].split() for step in steps if "upload-artifact" in step.get("uses", "")]
        for name in kept:
            self.assertTrue((self.checkout / name).exists(), name)
        self.assertTrue((self.top / "home/stepbench/results/history.db").exists())
        self.assertIn("the first night", summary.read_text())

    def test_gitlab_night_is_measured(self):
        job = yaml.safe_load((self.checkout / "tools/examples/nightly/gitlab.yml").read_text())["nightly"]
        for line in job["script"]:
            self.run_shell(GITLAB, line, CI_COMMIT_REF_NAME="main")
        self.assertTrue((self.checkout / "night.json").exists())
        self.assertTrue((self.top / "home/stepbench/results/history.db").exists())

    def test_quickstart_builds_every_documented_program(self):
        for name in ("build/ci/build.ninja", "build/ci/configured"):
            self.write(self.checkout / name, "build stepbench-gbench: phony\n")
        self.write(self.top / "bin/ninja", '#!/bin/sh\necho "ninja $*" >> "$ASKED"\nexit 3\n')
        self.run_shell(("bash", "-c"), "tools/quickstart", (2,))
        built = [line.split() for line in self.asked.read_text().splitlines() if line.startswith("ninja")][-1]
        self.assertLessEqual({"stepbench", "stepbench-worker", "stepbench-gbench"}, set(built))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *(f"Recipes.test_{name}" for name in sys.argv[3:])])
