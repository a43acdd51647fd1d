#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The choice of torch by tools/package/wheel_worker.sh, with stand-ins for the worker, its Python part and torch.

    wheel_worker_test.py SOURCE
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()


def make_torch(folder, version):
    for name in ("lib/libtorch.so", "__init__.py"):
        (folder / "torch" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "torch" / name).touch()
    (folder / "torch/version.py").write_text(f"__version__ = '{version}'\n")


class Worker(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        package = self.root / "site"
        self.program = package / "stepbench/bin/stepbench-worker"
        text = (SOURCE / "tools/package/wheel_worker.sh").read_text()
        for name, value in (("TORCH", "2.11.0+cu130"), ("LIBRARIES", "libtorch.so"), ("BUILD_ID", "0"), ("PYTHON", "3.11")):
            text = text.replace(f"@{name}@", value)
        parts = {
            self.program: text,
            self.program.with_suffix(".elf"): '#!/bin/sh\necho "worker in C++, libraries of ${LD_LIBRARY_PATH:-no variable}"\n',
            self.program.parent / "python/stepbench_host.py": "print('worker in Python')\n",
            package / "stepbench_worker/__init__.py": "",
        }
        for path, content in parts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
            path.chmod(0o755)
        self.elsewhere = self.root / "elsewhere"
        make_torch(self.elsewhere, "2.11.0+cpu")
        self.project = self.root / "project"
        self.project.mkdir()

    def said(self, program=None, **variables):
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(self.elsewhere), "STEPBENCH_PYTHON": sys.executable, **variables}
        done = subprocess.run([program or self.program, "--version"], cwd=self.project, env=environment, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout.strip()

    def test_torch_of_the_environment_precedes_current_folder(self):
        make_torch(self.project, "2.99.0")
        (self.project / "torch/__init__.py").write_text("raise SystemExit('a module of the project was run')\n")
        taken = f"worker in C++, libraries of {self.elsewhere}/torch/lib"
        self.assertEqual(self.said(), taken)
        self.assertEqual(self.said(PYTHONSAFEPATH="1"), taken)

    def test_link_to_the_worker_is_followed(self):
        link = self.root / "worker"
        link.symlink_to(self.program)
        self.assertEqual(self.said(link), f"worker in C++, libraries of {self.elsewhere}/torch/lib")

    def test_adjacent_torch_needs_no_search(self):
        make_torch(self.root / "site", "2.11.0+cu130")
        self.assertEqual(self.said(STEPBENCH_PYTHON="/no/python"), "worker in C++, libraries of no variable")

    def test_missing_or_other_torch_prints_the_install_command(self):
        self.assertIn("has no torch: pip install torch==2.11.0", self.said(PYTHONPATH="", PYTHONNOUSERSITE="1", STEPBENCH_PYTHON=self.bare()))
        make_torch(self.elsewhere, "2.12.0")
        self.assertIn(f"built for torch 2.11.0+cu130; {self.elsewhere}/torch is 2.12.0", self.said())

    def bare(self):
        """A Python without its site packages."""
        program = self.root / "bare"
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
        program.chmod(0o755)
        return str(program)


if __name__ == "__main__":
    unittest.main()
