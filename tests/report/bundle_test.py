# SPDX-License-Identifier: Apache-2.0
"""`stepbench ab --bundle OUT.zip` as who receives it: bundle_test.py STEPBENCH STUB_WORKER"""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
import unittest.mock as mock
import zipfile

PROGRAM, WORKER = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
del sys.argv[1:3]

CONFIG = """\
# ask annika@acme.example
name: acme-secret
workload: stub
launches: 5
schedule: {wait: 0, warmup: 1, active: 5}
"""


class Bundle(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="home-of-annika-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "acme.yaml").write_text(CONFIG)
        shutil.copy(WORKER, self.folder / "worker-of-acme")

    def ab(self, *words, status):
        arms = ["--a", WORKER, "--b", self.folder / "worker-of-acme", "--b-env", "API=hunter2-word"]
        done = subprocess.run([PROGRAM, "ab", "acme.yaml", *arms, "--no-lock", "--quiet", "--metric", "step",
                               *map(str, words)], cwd=self.folder, text=True, capture_output=True, timeout=300,
                              env={**os.environ, "HOME": str(self.folder), "USER": "annika",
                                   "XDG_STATE_HOME": str(self.folder / "state")})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def measured(self, *words, status):
        allowed = [word for gate in ("noise", "load", "steal", "drift") for word in ("--allow", gate)]
        return self.ab("--pairs", 8, *allowed, *words, status=status)

    def test_it_holds_the_answer_and_no_text_of_who_measured(self):
        done = self.measured("--b-set", "stub.step_us=1100", "--label", "team=acme-vision", "--bundle", "slower.zip",
                             status=1)
        self.assertNotIn("warning: --bundle", done.stderr)
        (run,) = (self.folder / "results").iterdir()
        with zipfile.ZipFile(self.folder / "slower.zip") as archive:
            self.assertIsNone(archive.testzip())
            files = {name: archive.read(name).decode() for name in archive.namelist()}
        self.assertEqual(sorted(files), ["README.txt", "command.txt", "environment.txt", "run/part-1.jsonl",
                                         "settings.txt", "verdict.json", "verdict.txt"])
        self.assertEqual(json.loads(files["verdict.json"])["verdict"], "regression")
        self.assertTrue(files["verdict.txt"].startswith("verdict: regression (exit code 1)\n"), files["verdict.txt"])
        self.assertIn("  step: A 1.00 ms, B 1.10 ms, +10.0 %, 95.0 % interval [+10.0 %, +10.0 %]: regression\n",
                      files["verdict.txt"])
        differ, same = files["settings.txt"].split("the same in both:\n")
        self.assertIn("  stub.step_us: A 1000, B 1100\n", differ)
        self.assertIn("  schedule.active: 5\n", same)
        self.assertIn("  kernel: " + os.uname().release + "\n",
                      files["environment.txt"].split("the same in both:\n")[1])
        self.assertRegex(files["command.txt"], r"^stepbench ab <text\d+> --a <text\d+> --b <text\d+> "
                         r"--b-set stub.step_us=1100 --b-env API=<text\d+> --pairs 8 --no-lock --metric step --allow noise --allow load "
                         r"--allow steal --allow drift\n$")
        # The samples are those that were measured.
        samples = [json.loads(line) for line in files["run/part-1.jsonl"].splitlines()
                   if '"kind":"samples"' in line]
        (result,) = run.glob("*.jsonl")
        originals = [json.loads(line) for line in result.read_text().splitlines()
                     if '"kind":"samples"' in line]
        self.assertEqual(len(samples), 16)
        self.assertEqual(samples, originals)
        # Names of hosts are often short: as a whole value there is none either.
        everything = "\n".join(files.values())
        self.assertNotIn('"' + socket.gethostname() + '"', everything)
        self.assertNotIn(": " + socket.gethostname() + "\n", everything)
        for secret in ("acme", "annika", "hunter2", str(self.folder), str(WORKER.parent), str(pathlib.Path.home()),
                       run.name):
            self.assertNotIn(secret, everything)

    def test_what_cannot_be_an_archive_is_refused_before_anything_is_measured(self):
        self.assertIn("name slower.tar.zip", self.ab("--bundle", "slower.tar", status=2).stderr)
        (self.folder / "folder.zip").mkdir()
        self.assertIn("folder.zip is a folder", self.ab("--bundle", "folder.zip", status=2).stderr)
        self.assertIn("is the file of --", self.ab("--bundle", "one.zip", "--verdict", "./one.zip", status=2).stderr)
        self.assertFalse((self.folder / "results").exists())

    def test_where_no_archive_can_be_written_the_verdict_stands(self):
        full = mock.patch.dict(os.environ, TMPDIR=str(self.folder / "missing"))  # the copy has no place
        full.start()
        self.addCleanup(full.stop)
        done = self.measured("--b-set", "stub.step_us=1100", "--bundle", "slower.zip", status=1)
        self.assertIn("warning: ", done.stderr)
        self.assertFalse((self.folder / "slower.zip").exists())
        (verdict,) = (self.folder / "results").glob("*/verdict.json")
        self.assertEqual(json.loads(verdict.read_text())["exit_code"], 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
