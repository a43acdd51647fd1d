# SPDX-License-Identifier: Apache-2.0
"""tests/run_cases.py on programs that pass, fail, crash and hang: run_cases_test.py SOURCE_DIR"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

RUN_CASES = pathlib.Path(sys.argv.pop(1)).resolve() / "tests/run_cases.py"
# Behaves like a GoogleTest program; a case's name selects its result.
PROGRAM = """#!{python}
import os, signal, subprocess, sys, time
cases = {cases}
if "--gtest_list_tests" in sys.argv:
    open(sys.argv[0] + ".listed", "w")
    print("A.")
    for case in cases: print("  " + case)
    sys.exit(0)
flags = [word.split("=", 1)[1] for word in sys.argv if word.startswith("--gtest_flagfile=")][0]
picked = open(flags).read().split("=", 1)[1].split(":")
bad = 0
for case in cases:
    if picked != ["*"] and "A." + case not in picked: continue
    print("[ RUN      ] A." + case, flush=True)
    if case.startswith("crash"): os.kill(os.getpid(), signal.SIGSEGV)
    if case == "exit": os._exit(0)
    if case.startswith("hang"): time.sleep(600)
    if case.startswith("leave"): subprocess.Popen(["sleep", "600"])
    end = "SKIPPED" if case.startswith("skip") else "FAILED " if case.startswith("fail") else "     OK"
    bad += case.startswith("fail")
    print("says " + case + ("\\na_test.cpp:1: Skipped\\nno device\\n" if case.startswith("skip") else ""))
    print("[ " + end.rjust(8) + " ] A." + case + " (7 ms)", flush=True)
    if case == "exit_after": os._exit(0)
print("[==========] " + str(len(cases)) + " tests from 1 test suite ran. (7 ms total)", flush=True)
sys.exit({status} or bool(bad))
"""


class RunCases(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_of(self, *cases, status=0, options=(), picked=None):
        """Returns exit status, {case: passed | failed | skipped}, outputs of those that did not pass."""
        program = self.folder / "program"
        program.write_text(PROGRAM.format(python=sys.executable, cases=list(cases), status=status))
        program.chmod(0o755)
        environment = {**os.environ, **({"STEPBENCH_CASES": picked} if picked else {})}
        done = subprocess.run([sys.executable, RUN_CASES, self.folder / "cases", "unit_a", program, *options],
                              text=True, capture_output=True, timeout=120, env=environment)
        self.assertEqual(done.stderr, "")
        states, outputs = {}, {}
        for case in xml.parse(self.folder / "cases/unit_a.xml").iter("testcase"):
            name = case.get("name").removeprefix("A.")
            states[name] = next((kind for kind in ("failure", "skipped") if case.find(kind) is not None), "passed")
            outputs[name] = case.findtext("system-out")
        return done.returncode, states, outputs

    def test_cases_are_reported_one_by_one(self):
        status, states, outputs = self.run_of("good", "fail", "skip")
        self.assertEqual((status, states), (1, {"good": "passed", "fail": "failure", "skip": "skipped"}))
        self.assertEqual(outputs["fail"], "says fail\n")

    def test_crash_lets_the_other_cases_run(self):
        status, states, outputs = self.run_of("one", "crash", "two", "crash_too", "three")
        self.assertEqual(states, {"one": "passed", "crash": "failure", "two": "passed", "crash_too": "failure",
                                  "three": "passed"})
        self.assertEqual(status, 1)
        self.assertIn("ended by SIGSEGV in this case", outputs["crash"])

    def test_exit_in_a_case_is_a_failure(self):
        self.assertEqual(self.run_of("exit", "two")[1], {"exit": "failure", "two": "passed"})

    def test_early_end_lets_the_other_cases_run(self):
        self.assertEqual(self.run_of("exit_after", "fail")[1], {"exit_after": "passed", "fail": "failure"})

    def test_successful_program_is_not_asked_for_its_cases(self):
        self.run_of("good", "fail")
        self.assertFalse((self.folder / "program.listed").exists())

    def test_hang_names_its_case_and_others_run(self):
        status, states, outputs = self.run_of("one", "hang", "two", options=("--limit", "3"))
        self.assertEqual((status, states), (1, {"one": "passed", "hang": "failure", "two": "passed"}))
        self.assertIn("ended after more than 3 s in this case", outputs["hang"])

    def test_bad_end_after_good_cases_is_a_failure(self):
        status, states, outputs = self.run_of("one", "two", status=23)
        self.assertEqual((status, states), (1, {"one": "passed", "two": "failure"}))
        self.assertIn("ended with status 23 after this case", outputs["two"])

    def test_leftover_process_of_a_case_is_ended(self):
        self.assertEqual(self.run_of("leave", "two")[:2], (0, {"leave": "passed", "two": "passed"}))

    def test_filter_selects_cases(self):
        self.assertEqual(self.run_of("good", "fail", picked="^A.go")[:2], (0, {"good": "passed"}))
        self.assertEqual(self.run_of("good", "fail", picked="unit_a")[0], 1)

    def test_program_with_only_skips_skips(self):
        self.assertEqual(self.run_of("skip", "skip_too")[0], 77)


if __name__ == "__main__":
    unittest.main(verbosity=2)
