# SPDX-License-Identifier: Apache-2.0
"""mypy and pyright must report nothing about the typed packages: types_test.py SOURCE_DIR. Exits with 77 if neither
is installed."""
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
PACKAGES = [SOURCE / "tools/python" / name for name in ("stepbench", "stepbench_worker")]
PYRIGHT = next((found for name in ("pyright", "basedpyright")
                for found in (shutil.which(name), shutil.which(name, path=str(pathlib.Path(sys.executable).parent)))
                if found), None)
MYPY = importlib.util.find_spec("mypy") is not None


class Types(unittest.TestCase):
    def copies(self, folder):
        """Copies both packages next to each other, as installed."""
        for package in PACKAGES:
            shutil.copytree(package, folder / package.name)
        return [folder / package.name for package in PACKAGES]

    def checked(self, *command, **options):
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)

    def in_fresh_folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return pathlib.Path(folder.name)

    def test_both_packages_are_marked_as_typed(self):
        for package in PACKAGES:
            self.assertTrue((package / "py.typed").is_file(), package)

    @unittest.skipUnless(MYPY, "mypy is not installed; tools/setup --tests")
    def test_mypy_passes_and_finds_a_planted_mistake(self):
        folder = self.in_fresh_folder()
        mypy = (sys.executable, "-m", "mypy", "--no-incremental", "--strict", *self.copies(folder))
        done = self.checked(*mypy, cwd=folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with (folder / "stepbench_worker/window.py").open("a") as file:
            file.write('\nPARTIAL_NAME: str = PARTIAL\n')
        self.assertIn("window.py", self.checked(*mypy, cwd=folder).stdout)

    @unittest.skipUnless(PYRIGHT, "pyright is not installed")
    def test_pyright_passes_and_finds_a_planted_mistake(self):
        folder = self.in_fresh_folder()
        self.copies(folder)
        settings = {"include": [package.name for package in PACKAGES], "typeCheckingMode": "standard",
                    "reportMissingImports": "none", "reportMissingModuleSource": "none"}
        (folder / "pyrightconfig.json").write_text(json.dumps(settings))
        pyright = (PYRIGHT, "--pythonpath", sys.executable, "--level", "error")
        done = self.checked(*pyright, cwd=folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with (folder / "stepbench_worker/window.py").open("a") as file:
            file.write('\nPARTIAL_NAME: str = PARTIAL\n')
        self.assertIn("window.py", self.checked(*pyright, cwd=folder).stdout)


if __name__ == "__main__":
    if not MYPY and PYRIGHT is None:
        print("neither mypy nor pyright is installed")
        sys.exit(77)
    unittest.main(verbosity=2)
