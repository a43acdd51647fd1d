# SPDX-License-Identifier: Apache-2.0
"""A wheel of this build: wheel_test.py SOURCE_DIR BUILD_DIR [--measure]

Its names, records, licences and library paths; with --measure instead: it is installed beside torch in a fresh
environment and measures with both programs."""
import base64
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
MEASURE = "--measure" in sys.argv
TORCH = SOURCE / ".venv/lib/python{}.{}/site-packages".format(*sys.version_info[:2])
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
# A user's project, with a function that a test measures.
WORK = """\
def work(size):
    return str(size)
"""
TEST_OF_WORK = """\
import pathlib
import stepbench as package
from project_work import work

def test_work(stepbench):
    result = stepbench(work, 1000)
    assert result.step_ns > 0
    assert result.folder.parent.parent == pathlib.Path("results/pytest").resolve()
    assert len(package.load(result.folder).steps) == 3

def test_inside(stepbench):
    stepbench(lambda: 1)
"""
SHORT = ("--launches", "1", "--set", "schedule.warmup=1", "--set", "schedule.active=3", "--no-lock")


def output(*words, **options):
    done = subprocess.run([*map(str, words)], text=True, capture_output=True, timeout=600, **options)
    assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name).resolve()
        cls.said = output(SOURCE / "tools/wheel", "--out", cls.folder, "--build", BUILD)
        cls.wheel, = cls.folder.glob("*.whl")
        with zipfile.ZipFile(cls.wheel) as archive:
            archive.extractall(cls.folder / "site")
            cls.names = archive.namelist()
            cls.modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}


class Contents(Wheel):
    def test_its_name_tells_the_c_library_and_no_version_of_python(self):
        self.assertRegex(self.wheel.name, r"^stepbench-[\d.]+-py3-none-manylinux_2_\d+_x86_64\.whl$")
        tag = self.wheel.stem.split("-", 2)[2]
        facts, = (self.folder / "site").glob("*.dist-info")
        self.assertIn(f"Tag: {tag}\n", (facts / "WHEEL").read_text())
        self.assertLess(self.wheel.stat().st_size, 60 << 20)

    def test_each_file_is_recorded_with_its_digest(self):
        record, = (name for name in self.names if name.endswith("/RECORD"))
        rows = [line.rsplit(",", 2) for line in (self.folder / "site" / record).read_text().splitlines()]
        self.assertEqual(sorted(name for name, _, _ in rows), sorted(self.names))
        for name, digest, size in rows:
            if name != record:
                content = (self.folder / "site" / name).read_bytes()
                want = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, int(size)), (f"sha256={want}", len(content)), name)

    def test_programs_can_be_run_and_find_their_libraries_beside_them(self):
        for program in ("stepbench", "stepbench-worker", "stepbench-worker.elf"):
            self.assertEqual(self.modes[f"stepbench/bin/{program}"], 0o100755)
        for program, path in (("stepbench", "$ORIGIN/../lib"),
                              ("stepbench-worker.elf", "$ORIGIN/../lib:$ORIGIN/../../torch/lib")):
            dynamic = output("readelf", "-d", self.folder / "site/stepbench/bin" / program)
            self.assertIn(f"(RPATH)              Library rpath: [{path}]", dynamic)
            self.assertNotIn("RUNPATH", dynamic)

    def test_libraries_are_debians_with_their_licences_and_torch_is_not_among_them(self):
        libraries = [name for name in self.names if name.startswith("stepbench/lib/")]
        self.assertTrue(libraries)
        self.assertFalse([name for name in self.names if re.search(r"lib(torch|c10|cud|nccl|gomp|c\.so)", name)])
        licences = [name for name in self.names if "/licenses/lib" in name]
        self.assertGreaterEqual(len(licences), 10, licences)


class Installed(Wheel):
    def test_it_measures_beside_the_torch_of_a_fresh_environment(self):
        venv = self.folder / "venv"
        output(sys.executable, "-m", "venv", venv)
        output(venv / "bin/pip", "install", "--no-index", "--no-deps", self.wheel)
        site, = venv.glob("lib/python*/site-packages")
        (self.folder / "script.py").write_text(SCRIPT)
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "CUDA_VISIBLE_DEVICES": ""}
        at = {"cwd": self.folder, "env": environment}
        # A script needs no torch.
        output(venv / "bin/stepbench", "run", "--python", "script.py", *SHORT, "--results", "script", **at)
        output(venv / "bin/python", "script.py", **at)
        mlp = ("run", site / "stepbench/configs/train_mlp.yaml", "--smoke", "--set", "device=cpu", "--no-lock")
        done = subprocess.run([venv / "bin/stepbench", *map(str, mlp)], text=True, capture_output=True, timeout=600, **at)
        self.assertIn("pip install torch==", done.stdout + done.stderr)
        # One in another folder, one of another version beside it, and the right one beside it.
        (site / "torch.pth").write_text(str(TORCH))
        self.assertIn("smoke", output(venv / "bin/stepbench", *mlp, "--results", "elsewhere", **at))
        (site / "torch").mkdir()
        (site / "torch/version.py").write_text("__version__ = '2.9.1+cpu'\n")
        done = subprocess.run([venv / "bin/stepbench", *map(str, mlp)], text=True, capture_output=True, timeout=600, **at)
        self.assertRegex(" ".join((done.stdout + done.stderr).split()), r"built for torch [\d.]+\S*; \S+ is 2.9.1\+cpu")
        (site / "torch/version.py").unlink()
        (site / "torch").rmdir()
        (site / "torch").symlink_to(TORCH / "torch")
        self.assertIn("smoke", output(venv / "bin/stepbench", *mlp, "--results", "beside", **at))
        # A step in Python: inside the interpreter, and where the module is for another one.
        (self.folder / "step.py").write_text(STEP)
        (self.folder / "step.yaml").write_text("workload: python_step\nstep: {path: step.py}\ndevice: cpu\n")
        step = (venv / "bin/stepbench", "run", "step.yaml", *SHORT)
        self.assertNotIn("worker in Python", output(*step, "--results", "hosted", **at))
        (site / "stepbench/bin/python/stepbench_python.so").unlink()
        self.assertIn("measured by stepbench's worker in Python", output(*step, "--results", "fallback", **at))
        file, = (self.folder / "script").glob("*/*.jsonl")
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        launch, = (row for row in rows if row["kind"] == "launch")
        self.assertEqual(launch["outcome"], "measured")
        self.assertEqual(pathlib.Path(launch["effective"]["python.executable"]).parent, venv / "bin")


    @unittest.skipUnless(importlib.util.find_spec("pytest"), "pytest is not installed; tools/setup --tests")
    def test_its_fixture_measures_in_the_pytest_of_a_fresh_environment(self):
        venv = self.folder / "pytest"
        output(sys.executable, "-m", "venv", venv)
        output(venv / "bin/pip", "install", "--no-index", "--no-deps", self.wheel)
        site, = venv.glob("lib/python*/site-packages")
        beside = {pathlib.Path(importlib.util.find_spec(name).origin).parents[1] for name in ("pytest", "pandas")}
        (site / "beside.pth").write_text("\n".join(map(str, beside)))
        project = self.folder / "project"
        project.mkdir()
        (project / "project_work.py").write_text(WORK)
        (project / "test_work.py").write_text(TEST_OF_WORK)
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "CUDA_VISIBLE_DEVICES": ""}
        done = subprocess.run([venv / "bin/python", "-m", "pytest", "-p", "no:cacheprovider",
                               f"--stepbench-options={' '.join(SHORT)}"], text=True, capture_output=True, timeout=600,
                              cwd=project, env=environment)
        self.assertIn("plugins: stepbench", done.stdout, done.stderr)
        self.assertRegex(done.stdout, r"1 failed, 1 passed", done.stdout)
        self.assertIn("must stand at the top of a file", done.stdout)


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    unittest.main(argv=[sys.argv[0], "Installed" if MEASURE else "Contents"], verbosity=2)
