# SPDX-License-Identifier: Apache-2.0
"""tools/release: release_test.py SOURCE_DIR BUILD_DIR"""
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
WHEEL = """#!/bin/sh
# A wheel of four bytes; in a folder of which "random" is said, other ones every time.
[ -e "$4/random" ] && od -An -N4 -tx4 /dev/urandom > "$2/stepbench.whl" || echo abc > "$2/stepbench.whl"
"""


class Release(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name).resolve()
        self.tree = self.folder / "tree"
        (self.tree / "tools/package").mkdir(parents=True)
        for name in ("CMakeLists.txt", "tools/release", "tools/common.sh", "tools/package/CHANGELOG.md"):
            shutil.copy(SOURCE / name, self.tree / name)
        (self.tree / "tools/wheel").write_text(WHEEL)
        (self.tree / "tools/wheel").chmod(0o755)
        self.git("init", "--quiet")
        self.commit()
        self.build = self.folder / "build"
        self.build.mkdir()

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=me", "-c", "user.email=me@example.com", *words], cwd=self.tree, check=True)

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "all")

    def release(self, status, *words):
        done = subprocess.run([self.tree / "tools/release", "--out", self.folder / "out", "--build", self.build, *words],
                              text=True, capture_output=True, timeout=600)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_sources_wheel_and_checksums_have_one_commit(self):
        said = self.release(0)
        version = re.search(r"project\(stepbench VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text())[1]
        made = {file.name: file for file in (self.folder / "out").iterdir()}
        self.assertEqual(set(made), {f"stepbench-{version}.tar.gz", "stepbench.whl", "SHA256SUMS"})
        for line in made["SHA256SUMS"].read_text().splitlines():
            digest, name = line.split()
            self.assertEqual(digest, hashlib.sha256(made[name].read_bytes()).hexdigest())
            self.assertIn(digest, said)
        first = made[f"stepbench-{version}.tar.gz"].read_bytes()
        shutil.rmtree(self.folder / "out")
        self.release(0)
        self.assertEqual((self.folder / f"out/stepbench-{version}.tar.gz").read_bytes(), first)

    def test_different_bytes_are_refused_and_leave_nothing(self):
        (self.build / "random").touch()
        self.assertIn("made twice, the files differ", self.release(1))
        self.assertFalse((self.folder / "out").exists())

    def test_changed_tree_or_missing_notes_are_refused(self):
        cmake = self.tree / "CMakeLists.txt"
        cmake.write_text(re.sub(r"stepbench VERSION [\d.]+", "stepbench VERSION 9.9.9", cmake.read_text()))
        self.assertIn("begins with", self.release(2))
        changes = self.tree / "tools/package/CHANGELOG.md"
        changes.write_text(changes.read_text().replace("\n## ", "\n## 9.9.9\n\n## ", 1))
        self.assertIn("not committed", self.release(2))
        self.commit()
        self.release(0)
        self.assertIn("is not empty", self.release(2))

    def test_notes_begin_with_the_version_of_the_build(self):
        noted = re.search(r"^## (\S+)", (SOURCE / "tools/package/CHANGELOG.md").read_text(), re.M)[1]
        self.assertIn(f"project(stepbench VERSION {noted} ", (SOURCE / "CMakeLists.txt").read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
