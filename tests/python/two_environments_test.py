# SPDX-License-Identifier: Apache-2.0
"""Compares two environments of Python, `stepbench ab train.py`: two_environments_test.py STEPBENCH SOURCE_DIR"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import venv

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from own_clock import on_its_own_clock  # noqa: E402

PROGRAM, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
del sys.argv[1:3]

# The environments differ in the library, whose cost is on the script's own clock.
TRAIN = on_its_own_clock("import os, sys\nimport library\n", """\
with phase("forward"):
    now_ns += 10_000_000
with phase("backward"):
    now_ns += int(20_000_000 * library.SLOWER * float(os.environ.get("FACTOR", "1")))
""")
SHORT = [word for each in ("wait=0", "warmup=2", "active=6") for word in ("--set", "schedule." + each)]


class TwoEnvironments(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "train.py").write_text(TRAIN)
        self.old, self.new = self.environment("old", 1.0), self.environment("new", 1.1)

    def environment(self, name, slower):
        """Without pip; numpy and torch are those of the environment that runs this test."""
        place = self.folder / name
        venv.create(place, with_pip=False, symlinks=True)
        (packages,) = place.glob("lib/python*/site-packages")
        own = [path for path in sys.path if path.endswith("site-packages")]
        (packages / "of_the_test.pth").write_text("\n".join(own) + "\n")
        (packages / "library.py").write_text(f"SLOWER = {slower}\n")
        return place

    def ab(self, *words, status):
        done = subprocess.run([PROGRAM, "ab", "train.py", *map(str, words), "--no-lock", "--pairs", "10", "--metric", "step", "--allow", "noise", "--allow",
                               "load", "--allow", "steal", "--allow", "drift", *SHORT], cwd=self.folder, text=True, capture_output=True,
                              env={**os.environ, "HOME": str(self.folder), "XDG_STATE_HOME": str(self.folder / "state"), "NO_COLOR": "1"},
                              timeout=600)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def verdict(self):
        newest = max((self.folder / "results").glob("*/verdict.json"), key=lambda path: path.stat().st_mtime_ns)
        return json.loads(newest.read_text())

    def test_slower_environment_is_reported_with_its_phase(self):
        done = self.ab("--a-python", self.old, "--b-python", self.new, status=1)
        self.assertIn("What changed inside a step", done.stdout)
        self.assertIn(f"{self.new}/bin/python", json.dumps(self.verdict()))
        done = self.ab("--a-python", self.old, "--b-python", self.old / "bin/python", status=0)
        self.assertNotIn("regression", done.stdout)

    def test_different_variables_are_compared(self):
        self.ab("--interpreter", self.old, "--b-env", "FACTOR=1.2", status=1)
        # A later --set does not hide the interpreter: both sides have the library, which only the new environment has.
        self.ab("--interpreter", self.new, "--b-env", "FACTOR=1.0", status=0)

    def test_invalid_environment_is_named(self):
        (self.folder / "empty").mkdir()
        done = self.ab("--a-python", self.old, "--b-python", self.folder / "empty", status=2)
        self.assertIn("empty/bin/python", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
