# SPDX-License-Identifier: Apache-2.0
"""A wheel of this build, unpacked for its tests: TEST.py SOURCE_DIR BUILD_DIR [TEST]..."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
SCRIPT = """\
from stepbench_worker import measure
for _ in measure([[1, 2]] * 100):
    pass
"""
STEP = """\
import torch
def step(record):
    with record.phase("forward"):
        return len(torch.ones(8) * 2)
"""
STEP_YAML = "workload: python_step\nstep: {path: step.py}\ndevice: cpu\n"
SHORT = ("--launches", "1", "--set", "schedule.warmup=1", "--set", "schedule.active=3", "--no-lock")


def attempt(*words, **options):
    """Returns status and output on one line."""
    done = subprocess.run([*map(str, words)], text=True, capture_output=True, timeout=1200, **options)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def output(*words, **options):
    done = subprocess.run([*map(str, words)], text=True, capture_output=True, timeout=3000, **options)
    assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def python_of(version):
    """Returns the interpreter of the system or of pyenv for a version such as 3.12; None if there is none."""
    kept = sorted(pathlib.Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
    for python in (*kept, shutil.which(f"python{version}")):
        if python and subprocess.run([python, "-c", "import venv"], capture_output=True).returncode == 0:
            return python
    return None


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name).resolve()
        cls.environment = {"PATH": "/usr/bin:/bin", "HOME": str(cls.folder), "CUDA_VISIBLE_DEVICES": ""}
        cls.said = output(SOURCE / "tools/wheel", "--out", cls.folder, "--build", BUILD)
        cls.wheel, = cls.folder.glob("*.whl")
        with zipfile.ZipFile(cls.wheel) as archive:
            archive.extractall(cls.folder / "site")
            cls.names = archive.namelist()
            cls.modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
        for name, mode in cls.modes.items():  # as pip sets them
            if mode & 0o111:
                (cls.folder / "site" / name).chmod(0o755)

    def fresh_environment(self, name, python=sys.executable, wheel=True):
        """Makes a venv with the wheel; returns it and its site-packages."""
        venv = self.folder / name
        output(python, "-m", "venv", venv)
        if wheel:
            output(venv / "bin/pip", "install", "--no-index", "--no-deps", "--no-compile", self.wheel)
        return venv, next(venv.glob("lib/python*/site-packages"))


def main():
    os.environ.pop("PYTHONPATH", None)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
