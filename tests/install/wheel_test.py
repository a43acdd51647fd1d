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
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from unittest import mock

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
TYPED = """\
import stepbench
from stepbench_worker import measure, phase

def train(batches: list[int]) -> None:
    for batch in measure(batches):
        with phase("forward"):
            print(batch)

result = stepbench.load("results/run")
if isinstance(result, stepbench.Run):
    print(result.cases)
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
        for name, mode in cls.modes.items():  # as pip sets them
            if mode & 0o111:
                (cls.folder / "site" / name).chmod(0o755)


class Contents(Wheel):
    def test_its_name_tells_the_c_library_and_no_version_of_python(self):
        self.assertRegex(self.wheel.name, r"^stepbench-[\d.]+-py3-none-manylinux_2_34_x86_64\.whl$")
        tag = self.wheel.stem.split("-", 2)[2]
        facts, = (self.folder / "site").glob("*.dist-info")
        self.assertIn(f"Tag: {tag}\n", (facts / "WHEEL").read_text())
        self.assertLess(self.wheel.stat().st_size, 15 << 20)

    def test_it_asks_for_no_newer_library_than_its_name_tells(self):
        sys.path.insert(0, str(SOURCE / "tools/package"))
        from elf_versions import needed_versions, newest
        files = [file for file in (self.folder / "site").rglob("*") if file.is_file() and file.read_bytes()[:4] == b"\x7fELF"]
        self.assertGreater(len(files), 8)
        for file in files:
            versions = needed_versions(file)
            self.assertLessEqual(newest(versions, "GLIBC"), (2, 34), file)
            self.assertLessEqual(newest(versions, "GLIBCXX"), (3, 4, 29), file)
            self.assertLessEqual(newest(versions, "CXXABI"), (1, 3, 13), file)
        self.assertFalse([name for name in self.names if re.search(r"lib(stdc\+\+|gcc_s|icu|xml2)", name)])

    @unittest.skipUnless(importlib.util.find_spec("auditwheel"), "auditwheel is not installed; tools/setup --tests")
    def test_auditwheel_has_nothing_to_say_of_what_is_not_torchs(self):
        shown = json.loads(subprocess.run([sys.executable, "-m", "auditwheel", "show", "--json", self.wheel], check=True,
                                          capture_output=True, text=True).stdout)
        missing = {name for name, path in shown.get("external_libs", {}).items() if not (path or "").startswith("/lib")}
        self.assertEqual({name for name in missing if not name.startswith(("libtorch", "libc10"))}, set(), shown)
        self.assertIn("manylinux_2_34", shown["sym_tag"] if "sym_tag" in shown else json.dumps(shown))

    def test_what_the_documents_name_of_configs_and_examples_is_in_it(self):
        named = set()
        for page in ("README.md", "tools/COMMANDS.md", "tools/python/README.md", "tools/examples/README.md"):
            text = (SOURCE / page).read_text()
            named |= {"configs/" + name for name in re.findall(r"configs/([\w-]+\.yaml)", text)}
            named |= {name[len("tools/"):] for name in re.findall(r"tools/examples/[\w/]+\.\w+", text)}
        self.assertGreaterEqual(len(named), 3)
        for name in named:
            self.assertTrue((self.folder / "site/stepbench" / name).is_file(), name)

    def test_its_packages_are_typed(self):
        for package in ("stepbench", "stepbench_worker"):
            self.assertIn(f"{package}/py.typed", self.names)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed; tools/setup --tests")
    def test_mypy_checks_who_uses_it(self):
        (self.folder / "user.py").write_text(TYPED)
        check = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "user.py"]
        environment = {**os.environ, "MYPYPATH": str(self.folder / "site")}
        options = ["--follow-imports=silent"]
        done = subprocess.run([*check, *options], cwd=self.folder, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        (self.folder / "user.py").write_text(TYPED.replace("result.cases", "result.cases_of_mine"))
        done = subprocess.run([*check, *options], cwd=self.folder, env=environment, capture_output=True, text=True)
        self.assertIn("cases_of_mine", done.stdout)

    def test_a_wheel_that_cannot_be_finished_is_not_there(self):
        sys.path.insert(0, str(SOURCE / "tools/package"))
        import make_wheel
        with mock.patch.object(make_wheel, "write_archive", side_effect=OSError("no space left")):
            with self.assertRaises(OSError):
                make_wheel.pack(self.folder, self.folder, self.folder / "half-0.whl")
        self.assertFalse((self.folder / "half-0.whl").exists())

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
        torchs = [name for name in self.names if re.search(r"lib(torch|c10|cud|nccl|gomp|c\.so)", name)]
        # Empty ones, which stand in for what a torch without CUDA has not.
        self.assertTrue(all("/without_cuda/" in name for name in torchs), torchs)
        licences = [name for name in self.names if "/licenses/lib" in name]
        shared = [name for name in libraries if name not in torchs and not name.endswith("/")]
        self.assertGreaterEqual(len(licences), len(shared), (licences, shared))
        self.assertGreaterEqual(len(shared), 5)


class Launcher(Wheel):
    """What stepbench-worker becomes beside which torch: the ELF file, the torch and the interpreter are stand-ins."""

    def setUp(self):
        self.site = self.folder / self.id().rpartition(".")[2]
        shutil.copytree(self.folder / "site", self.site)
        self.bin = self.site / "stepbench/bin"
        self.elf = self.bin / "stepbench-worker.elf"
        self.script(self.elf, 'echo "in C++ $* ${LD_LIBRARY_PATH:-}"')
        self.python = self.site / "python"
        self.script(self.python, 'case $1 in -c) echo "$NO_TORCH" ;; *) echo "in Python $*" ;; esac')
        self.built = re.search(r"^want=([\d.]+)", (self.bin / "stepbench-worker").read_text(), re.M)[1]

    def script(self, file, body):
        file.unlink(missing_ok=True)
        file.write_text(f"#!/bin/sh\n{body}\n")
        file.chmod(0o755)

    def torch(self, version, cuda=True):
        (self.site / "torch/lib").mkdir(parents=True)
        (self.site / "torch/version.py").write_text(f"__version__ = '{version}'\n")
        for name in ("libtorch.so", "libtorch_cpu.so", "libc10.so", "libtorch_cuda.so", "libc10_cuda.so"):
            if cuda or "cuda" not in name:
                (self.site / "torch/lib" / name).touch()

    def worker(self, *words):
        environment = {"PATH": "/usr/bin:/bin", "STEPBENCH_PYTHON": str(self.python), "NO_TORCH": ""}
        return subprocess.run([self.bin / "stepbench-worker", *words], text=True, capture_output=True, env=environment)

    def test_the_worker_in_cpp_where_the_version_is_that_of_the_build(self):
        self.torch(self.built + "+cu999")
        self.assertEqual(self.worker("--control-fd=5").stdout.split()[:3], ["in", "C++", "--control-fd=5"])
        self.assertNotIn("without_cuda", self.worker("--control-fd=5").stdout)

    def test_the_worker_in_cpp_beside_a_torch_without_cuda_on_libraries_that_stand_in(self):
        self.torch(self.built + "+cpu", cuda=False)
        said = self.worker("describe").stdout
        self.assertIn("in C++ describe", said)
        self.assertIn("lib/without_cuda", said)
        for name in ("libtorch_cuda.so", "libc10_cuda.so"):
            self.assertIn(f"[{name}]", output("readelf", "-d", self.site / "stepbench/lib/without_cuda" / name))

    def test_the_worker_in_python_beside_an_older_and_a_newer_torch(self):
        for version in ("2.8.0+cu126", "2.99.0.dev1"):
            shutil.rmtree(self.site / "torch", ignore_errors=True)
            self.torch(version)
            said = self.worker("--control-fd=5").stdout
            self.assertIn("in Python", said)
            self.assertIn("stepbench_host.py --worker=", said)
            self.assertIn(f"--torch={self.built} ", said)
            self.assertRegex(said, r"--build-id=[0-9a-f]{40} --python=3\.\d+ ")
            self.assertTrue(said.rstrip().endswith("-- --control-fd=5"), said)
            asked = self.worker("data")
            self.assertEqual(asked.returncode, 2)
            self.assertIn(f"is {version}", asked.stderr)
            self.assertIn("stepbench run --python", asked.stderr)
            gave_up = self.worker("--no-python=it cannot import torch", "--control-fd=5")
            self.assertEqual((gave_up.returncode, gave_up.stderr), (2, "stepbench-worker: it cannot import torch\n"))

    def test_beside_no_torch_it_says_which_python_has_none(self):
        done = self.worker("--control-fd=5")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"{self.python} has no torch: pip install torch=={self.built}", done.stderr)

    def test_what_is_missing_of_a_half_written_installation_is_named(self):
        self.torch(self.built)
        self.elf.unlink()
        done = self.worker("--control-fd=5")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"not complete, \S+stepbench-worker.elf is missing: pip install --force-reinstall")
        (self.bin / "stepbench").unlink()
        python = {"PYTHONPATH": str(self.site), "PATH": "/nowhere"}
        for start in (["-m", "stepbench"], ["-c", "import stepbench; stepbench.main()"]):
            done = subprocess.run([sys.executable, *start, "--version"], env=python, text=True, capture_output=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("this installation is not complete", done.stderr)
            self.assertNotIn("Traceback", done.stderr)

    def test_of_two_installations_each_runs_its_own_parts(self):
        other = self.site / "other"
        shutil.copytree(self.folder / "site", other)
        self.script(other / "stepbench/bin/stepbench", "echo the other one")
        (other / "stepbench_worker/__init__.py").write_text("raise SystemExit('the other one')\n")
        python = {"PATH": f"{other}/stepbench/bin:/usr/bin:/bin", "PYTHONPATH": f"{self.site}:{other}",
                  "HOME": str(self.folder)}
        said = output(sys.executable, "-m", "stepbench", "--version", env=python)
        self.assertNotIn("the other one", said)
        (self.site / "script.py").write_text(SCRIPT)
        (self.site / "two").mkdir()
        ran = output(sys.executable, "-m", "stepbench", "run", "--python", "../script.py", *SHORT, "--results", "r",
                     cwd=self.site / "two", env={**python, "PYTHONPATH": f"{self.site}:{other}"})
        self.assertNotIn("the other one", ran)
        # Whatever comes first for the script: the program hands it the package beside itself.
        ran = output(self.site / "stepbench/bin/stepbench", "run", "--python", "../script.py", "--interpreter", sys.executable,
                     *SHORT, "--results", "r2", cwd=self.site / "two", env={**python, "PYTHONPATH": str(other)})
        self.assertNotIn("the other one", ran)


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
        self.assertIn("has no torch: pip install torch==", " ".join((done.stdout + done.stderr).split()))
        # One in another folder, one of another version beside it, and the right one beside it.
        (site / "torch.pth").write_text(str(TORCH))
        self.assertIn("smoke", output(venv / "bin/stepbench", *mlp, "--results", "elsewhere", **at))
        (site / "torch").mkdir()
        (site / "torch/version.py").write_text("__version__ = '2.9.1+cpu'\n")
        for part in (TORCH / "torch").iterdir():  # all of it but its version
            if part.name != "version.py":
                (site / "torch" / part.name).symlink_to(part)
        (site / "nvidia").symlink_to(TORCH / "nvidia")
        # What C++ computes is refused with what to install; what is in Python is measured by Python.
        done = subprocess.run([venv / "bin/stepbench", *map(str, mlp)], text=True, capture_output=True, timeout=600, **at)
        self.assertRegex(" ".join((done.stdout + done.stderr).split()), r"has torch 2.9.1\+cpu, and this stepbench was built for "
                                                                        r"torch [\d.]+")
        (self.folder / "step.py").write_text(STEP)
        (self.folder / "step.yaml").write_text("workload: python_step\nstep: {path: step.py}\ndevice: cpu\n")
        step = (venv / "bin/stepbench", "run", "step.yaml", *SHORT)
        self.assertIn("measured by stepbench's worker in Python", output(*step, "--results", "another", **at))
        shutil.rmtree(site / "torch")
        (site / "nvidia").unlink()
        (site / "torch").symlink_to(TORCH / "torch")
        self.assertIn("smoke", output(venv / "bin/stepbench", *mlp, "--results", "beside", **at))
        # A step in Python: inside the interpreter, and where the module is for another one.
        self.assertNotIn("worker in Python", output(*step, "--results", "hosted", **at))
        (site / "stepbench/bin/python/stepbench_python.so").unlink()
        self.assertIn("measured by stepbench's worker in Python", output(*step, "--results", "fallback", **at))
        file, = (self.folder / "script").glob("*/*.jsonl")
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        launch, = (row for row in rows if row["kind"] == "launch")
        self.assertEqual(launch["outcome"], "measured")
        self.assertEqual(pathlib.Path(launch["effective"]["python.executable"]).parent, venv / "bin")


    def test_it_measures_a_script_in_each_python_that_is_there(self):
        (self.folder / "script.py").write_text(SCRIPT)
        for minor in range(10, 15):
            python = shutil.which(f"python3.{minor}")
            if python is None or subprocess.run([python, "-c", ""], capture_output=True).returncode:
                print(f"python3.{minor} is not here")
                continue
            venv = self.folder / f"python3.{minor}"
            output(python, "-m", "venv", venv)
            output(venv / "bin/pip", "install", "--no-index", "--no-deps", self.wheel)
            environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder)}
            output(venv / "bin/python", "-m", "stepbench", "run", "--python", "script.py", *SHORT, "--results", f"with{minor}",
                   cwd=self.folder, env=environment)
            file, = (self.folder / f"with{minor}").glob("*/*.jsonl")
            self.assertIn(f'"python.version":"3.{minor}.', file.read_text().replace(": ", ":"))

    def test_it_needs_to_write_nothing_beside_itself(self):
        venv = self.folder / "read_only"
        output(sys.executable, "-m", "venv", venv)
        output(venv / "bin/pip", "install", "--no-index", "--no-deps", "--no-compile", self.wheel)
        site, = venv.glob("lib/python*/site-packages")
        before = {file: file.stat().st_mtime_ns for file in (site / "stepbench").rglob("*")}
        output("chmod", "-R", "a-w", site)
        self.addCleanup(subprocess.run, ["chmod", "-R", "u+w", site])
        (self.folder / "script.py").write_text(SCRIPT)
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        output(venv / "bin/stepbench", "run", "--python", "script.py", *SHORT, "--results", "read_only_results",
               cwd=self.folder, env=environment)
        # root may write everywhere: nothing did.
        self.assertEqual({file: file.stat().st_mtime_ns for file in (site / "stepbench").rglob("*")}, before)

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
    unittest.main(argv=[sys.argv[0], *(["Installed"] if MEASURE else ["Contents", "Launcher"])], verbosity=2)
