# SPDX-License-Identifier: Apache-2.0
"""The last lines of tools/test for runs recorded by ctest: summary_test.py SOURCE_DIR"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SUMMARY = pathlib.Path(sys.argv.pop(1)).resolve() / "tests/summary.py"
SLOW = '<testcase name="{name}" time="61.6" status="run"><system-out>{output}</system-out></testcase>'
PASSED = '<testcase name="{name}" time="0.1" status="run"><system-out>{output}</system-out></testcase>'
FAILED = '<testcase name="{name}" time="2.5" status="fail"><failure message=""/><system-out>{output}</system-out></testcase>'
SKIPPED = '''<testcase name="{name}" time="0.1" status="notrun">
<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/><system-out>{output}</system-out></testcase>'''
NOT_STARTED = '''<testcase name="{name}" time="0" status="notrun">
<skipped message="Fixture dependency failed"/><system-out>{output}</system-out></testcase>'''
GTEST = "[ RUN      ] A.b\na_test.cpp:49: Skipped\n{}\n\n[  SKIPPED ] A.b (0 ms)\n"


class Summary(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_of(self, *cases, build="ci"):
        """Makes one run of ctest; cases are (kind, name, output)."""
        folder = self.folder / build / "junit"
        folder.mkdir(parents=True, exist_ok=True)
        text = "".join(kind.format(name=name, output=output) for kind, name, output in cases)
        (folder / f"{len(list(folder.glob('*.xml'))) + 1}.xml").write_text(f"<testsuite>{text}</testsuite>")

    def cases_of(self, entry, *cases):
        """Makes the files of run_cases.py for an entry of the first run."""
        folder = self.folder / "ci/junit/cases-1"
        folder.mkdir(parents=True, exist_ok=True)
        text = "".join(kind.format(name=name, output=output) for kind, name, output in cases)
        (folder / f"{entry}.xml").write_text(f"<testsuite>{text}</testsuite>")

    def summary(self, *words, status=0):
        builds = words or ("ci",)
        done = subprocess.run([sys.executable, SUMMARY, *builds], cwd=self.folder, text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (status, ""), done.stdout)
        return done.stdout

    def test_failed_test_has_its_command_and_output_file(self):
        self.run_of((PASSED, "A.good", ""), (FAILED, "A.bad/2 (x)", "expected 1\nwas 2"))
        said = self.summary(status=1)
        self.assertEqual(said.splitlines()[-4:], [
            "1 passed, 1 failed, 0 skipped", "failed: A.bad/2 (x)", "  output: ci/failed/A.bad_2_x_.txt",
            r"  again:  ctest --test-dir ci --output-on-failure -R '^A\.bad/2 \(x\)$'"])
        self.assertIn("--- ci: A.bad/2 (x)\nexpected 1\nwas 2\n", said)
        self.assertEqual((self.folder / "ci/failed/A.bad_2_x_.txt").read_text(), "run 1 of 1\nexpected 1\nwas 2\n")
        self.assertNotIn("good", said)

    def test_intermittent_failure_is_named_with_its_count(self):
        for kind in (PASSED, FAILED, PASSED):
            self.run_of((kind, "A.rare", "why"), (PASSED, "A.good", ""))
        said = self.summary(status=1)
        self.assertIn("1 passed, 1 failed, 0 skipped in 3 runs\nfailed: A.rare, in 1 of 3 runs\n", said)
        self.assertEqual((self.folder / "ci/failed/A.rare.txt").read_text(), "run 2 of 3\nwhy\n")

    def test_long_output_is_cut_but_whole_in_its_file(self):
        self.run_of((FAILED, "A.long", "\n".join(f"line {i}" for i in range(100))))
        said = self.summary(status=1)
        self.assertIn("... 40 lines before these: ci/failed/A.long.txt\nline 40\n", said)
        self.assertIn("line 0\n", (self.folder / "ci/failed/A.long.txt").read_text())

    def test_unstarted_test_fails_and_silence_is_reported(self):
        self.run_of((NOT_STARTED, "A.user", "Failed test dependencies: setup"), (FAILED, "A.hangs", ""))
        said = self.summary(status=1)
        self.assertIn("0 passed, 2 failed, 0 skipped\n", said)
        self.assertIn("it printed nothing and ended after 2.5 s", said)

    def test_skips_are_listed_with_their_reasons(self):
        self.run_of((SKIPPED, "A.device", GTEST.format("needs a CUDA device")),
                    (SKIPPED, "B.device", GTEST.format("needs a CUDA device")),
                    (SKIPPED, "C.judge", "looking\nperfetto is not installed\n"),
                    (PASSED, "D.script", "test_x (A.test_x) ... skipped 'jq is not installed'\nOK (skipped=1)"))
        self.assertEqual(self.summary().strip().splitlines(), [
            "skipped: NOT INSTALLED? jq is not installed (1: D.script)",
            "skipped: needs a CUDA device (2: A.device, B.device)",
            "skipped: NOT INSTALLED? perfetto is not installed (1: C.judge)",
            "1 passed, 0 failed, 3 skipped"])
        said = self.summary("--ci", "ci", status=1)
        for name in ("C.judge", "D.script"):
            self.assertIn(f"failed: {name} skipped in CI, where all that it needs must be installed\n", said)
        self.assertNotIn("failed: A.device", said)

    def test_cases_of_a_program_are_counted_and_named(self):
        self.run_of((FAILED, "unit_a", "1 failed, 1 passed, 1 skipped"), (PASSED, "script", ""))
        self.cases_of("unit_a", (PASSED, "A.good", ""), (FAILED, "A.bad", "was 2"),
                      (SKIPPED, "A.device", GTEST.format("needs a CUDA device")))
        said = self.summary(status=1)
        self.assertEqual(said.splitlines()[-4:], [
            "2 passed, 1 failed, 1 skipped", "failed: A.bad", "  output: ci/failed/A.bad.txt",
            r"  again:  STEPBENCH_CASES='^A\.bad$' ctest --test-dir ci --output-on-failure -R '^unit_a$'"])

    def test_program_failing_without_a_case_is_a_failure(self):
        self.run_of((FAILED, "unit_a", "cannot list its cases"))
        self.cases_of("unit_a", (PASSED, "A.good", ""))
        self.assertIn("0 passed, 1 failed, 0 skipped\nfailed: unit_a\n", self.summary(status=1))

    def test_builds_are_listed_separately(self):
        self.run_of((FAILED, "A.race", "WARNING: ThreadSanitizer"), build="tsan")
        self.run_of((PASSED, "A.race", ""))
        self.assertIn("again:  ctest --test-dir tsan ", self.summary("tsan", "ci", status=1))

    def test_slowest_tests_are_named(self):
        self.run_of((PASSED, "A.good", ""), (SLOW, "B.slow", ""))
        self.assertEqual(self.summary().strip(), "slowest of ci: B.slow 62 s\n2 passed, 0 failed, 0 skipped")

    def test_earlier_failures_are_forgotten(self):
        self.run_of((FAILED, "A.bad", "once"))
        self.summary(status=1)
        (self.folder / "ci/junit/1.xml").unlink()
        self.run_of((PASSED, "A.bad", ""))
        self.assertEqual(self.summary().strip(), "1 passed, 0 failed, 0 skipped")
        self.assertEqual(list((self.folder / "ci/failed").iterdir()), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
