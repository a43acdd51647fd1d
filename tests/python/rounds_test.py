# SPDX-License-Identifier: Apache-2.0
"""Functions measured in rounds, and the plug-in for pytest: rounds_test.py STEPBENCH SOURCE_DIR [TEST]..."""
import json
import math
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import warnings
from unittest import mock

PROGRAM, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
del sys.argv[1:3]
sys.path.insert(0, str(SOURCE / "tools/python"))
os.environ["PATH"] = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
from stepbench.rounds import RoundError, Rounds, Slower  # noqa: E402

SHORT = ("--no-lock", "--set", "schedule.wait=0", "--set", "schedule.warmup=1", "--set", "schedule.active=3")
PROJECT = """\
import os, pathlib
class Wanted:
    name = "a value"
def work(file, wanted, text=""):
    with open(file, "a") as out:
        out.write(f"{os.getpid()} {pathlib.Path(__file__).parent.parent.name} {wanted.name} {text}\\n")
def broken():
    raise KeyError("label")
"""
FAKE = """\
#!/bin/sh
mkdir -p "$7/20260101-000000-round"
printf '%s\\n' "$@" > "$7/arguments"
printf '{"verdict": "%s", "cases": [{"metrics": [{"name": "step", "candidate_median": 7.0}]}]}' "$FAKE_VERDICT" \\
  > "$7/20260101-000000-round/verdict.json"
echo "verdict: $FAKE_VERDICT"
exit "$FAKE_STATUS"
"""


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name).resolve()
        self.root = self.folder / "new"
        (self.root / "tests").mkdir(parents=True)
        (self.root / "tests/speed_of_work.py").write_text(PROJECT)
        self.enterContext(mock.patch.object(sys, "path", [str(self.root / "tests"), *sys.path]))
        sys.modules.pop("speed_of_work", None)
        import speed_of_work
        self.project = speed_of_work

    def rounds(self, base=None, words=()):
        return Rounds(self.root, "tests/speed.py::test_work[1]", self.folder / "results", base, (*SHORT, *words))

    def lines(self):
        return [line.split() for line in (self.folder / "calls").read_text().splitlines()]


class WithProgram(Case):
    def test_each_round_calls_the_function_in_a_process(self):
        result = self.rounds(words=("--launches", "2"))(self.project.work, self.folder / "calls", self.project.Wanted(), text="t")
        self.assertEqual({tuple(line[1:]) for line in self.lines()}, {("new", "a", "value", "t")})
        self.assertEqual(len({line[0] for line in self.lines()} - {str(os.getpid())}), 2)
        self.assertEqual(len(self.lines()), 2 * 4)
        self.assertTrue(0 < result.low_ns <= result.step_ns <= result.high_ns)
        self.assertEqual(result.folder.parent, self.folder / "results/tests-speed.py-test_work-1-")

    def test_program_ends_with_its_python(self):
        program = self.folder / "bin/stepbench"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\necho $$ > {self.folder}/begun.part && mv {self.folder}/begun.part {self.folder}/begun\n"
                           "exec sleep 1000\n")
        program.chmod(0o755)
        python = subprocess.Popen([sys.executable, "-c", "from stepbench.program import run; run('run')"],
                                  env={**os.environ, "PYTHONPATH": str(SOURCE / "tools/python"),
                                       "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"})
        while not (self.folder / "begun").exists():
            self.assertIsNone(python.poll())
        began = int((self.folder / "begun").read_text())
        watch = os.pidfd_open(began)
        self.addCleanup(os.close, watch)
        python.kill()
        python.wait()
        self.assertTrue(select.select([watch], [], [], 60)[0], "it lives on")

    def test_single_round_has_no_interval(self):
        result = self.rounds(words=("--launches", "1"))(self.project.work, self.folder / "calls", self.project.Wanted())
        self.assertFalse(math.isnan(result.step_ns))
        self.assertTrue(math.isnan(result.low_ns) and math.isnan(result.high_ns))

    def test_other_checkout_is_measured_in_turns(self):
        shutil.copytree(self.root, self.folder / "base")
        try:
            self.rounds(self.folder / "base", ("--pairs", "2"))(self.project.work, self.folder / "calls", self.project.Wanted())
        except (Slower, RoundError) as told:  # the quality of this machine's times does not matter here
            self.assertIn("verdict: ", str(told))
        roots = [line[1] for line in self.lines()]
        self.assertEqual((roots.count("base"), roots.count("new")), (8, 8))

    def test_failing_function_is_named_with_its_line(self):
        with self.assertRaisesRegex(RoundError, r"KeyError: 'label' \(speed_of_work.py, line 8, in broken\)"):
            self.rounds(words=("--launches", "1"))(self.project.broken)

    def test_refusal_of_the_program_is_raised(self):
        with self.assertRaisesRegex(RoundError, "schedule.activ"):
            self.rounds(words=("--set", "schedule.activ=3"))(self.project.work, "", self.project.Wanted())


class WithoutProgram(Case):
    def test_unimportable_function_is_refused(self):
        for function in (lambda: 1, print, self.project.Wanted()):
            with self.assertRaisesRegex(TypeError, "must stand at the top of a file"):
                self.rounds()(function)
        with self.assertRaisesRegex(TypeError, "outside of"):
            self.rounds()(shutil.copytree)
        with self.assertRaisesRegex(TypeError, "cannot be sent to a fresh process"):
            self.rounds()(self.project.work, lambda: 1)

    def test_exit_status_decides_the_verdict(self):
        (self.folder / "bin").mkdir()
        program = self.folder / "bin/stepbench"
        program.write_text(FAKE)
        program.chmod(0o755)
        path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
        for status, verdict in ((0, "ok"), (3, "suspect"), (1, "regression"), (4, "no-data")):
            shutil.rmtree(self.folder / "results", ignore_errors=True)
            rounds = self.rounds(self.folder / "base")
            with mock.patch.dict(os.environ, PATH=path, FAKE_STATUS=str(status), FAKE_VERDICT=verdict):
                if verdict in ("ok", "suspect"):
                    result = rounds(self.project.work)
                    self.assertEqual((result.step_ns, result.verdict), (7.0, verdict))
                    self.assertEqual(rounds.undecided, "verdict: suspect" if status == 3 else "")
                else:
                    with self.assertRaisesRegex(Slower if status == 1 else RoundError, "verdict: " + verdict):
                        rounds(self.project.work)
        said = next(self.folder.glob("results/*/arguments")).read_text().splitlines()
        self.assertEqual(said[0], "ab")
        for word in (f"STEPBENCH_ROUND_ROOT={self.folder / 'base'}", f"STEPBENCH_ROUND_ROOT={self.root}"):
            self.assertIn(word, said)


class PytestFailed(Exception):
    pass


def fail(text, pytrace):
    assert not pytrace
    raise PytestFailed(text)


class Plugin(unittest.TestCase):
    """Uses a stand-in for pytest."""

    def setUp(self):
        pytest = types.SimpleNamespace(fixture=lambda function: function, fail=fail, UsageError=ValueError)
        self.enterContext(mock.patch.dict(sys.modules, pytest=pytest))
        sys.modules.pop("stepbench.pytest_plugin", None)
        from stepbench import pytest_plugin
        self.addCleanup(sys.modules.pop, "stepbench.pytest_plugin", None)
        self.plugin = pytest_plugin

    def call(self, outcome, undecided="", base=None):
        options = {"--stepbench-compare": base, "--stepbench-results": "r", "--stepbench-options": "--launches '3'"}
        config = types.SimpleNamespace(getoption=options.get, inipath=None,
                                       invocation_params=types.SimpleNamespace(dir="/project"))
        made = mock.Mock(side_effect=[outcome], undecided=undecided)
        with mock.patch.object(self.plugin, "Rounds", return_value=made) as rounds:
            request = types.SimpleNamespace(config=config, node=types.SimpleNamespace(nodeid="a.py::b"))
            found = self.plugin.stepbench(request)(json.dumps, 1, indent=2)
        made.assert_called_once_with(json.dumps, 1, indent=2)
        root, name, results, base, words = rounds.call_args.args
        self.assertEqual((str(root), name, str(results), words), ("/project", "a.py::b", "/project/r", ("--launches", "3")))
        return found

    def test_pytest_test_gets_the_result(self):
        self.assertEqual(self.call("result"), "result")

    def test_pytest_test_fails_on_regression_or_no_data(self):
        with self.assertRaisesRegex(PytestFailed, "dumps is slower than in /base\n.*\\+9 %"):
            self.call(Slower("step +9 %"), base="/base")
        with self.assertRaisesRegex(PytestFailed, "measured nothing: no such"):
            self.call(RoundError("no such"))

    def test_inconclusive_comparison_is_a_warning(self):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            self.assertEqual(self.call("result", undecided="suspect"), "result")
        self.assertEqual([str(each.message) for each in seen], ["stepbench cannot tell: suspect"])

    def test_missing_base_is_refused(self):
        config = types.SimpleNamespace(getoption={"--stepbench-compare": "/no/such"}.get)
        with self.assertRaisesRegex(ValueError, "git worktree add"):
            self.plugin.pytest_configure(config)


if __name__ == "__main__":
    unittest.main(verbosity=2)
