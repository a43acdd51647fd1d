# SPDX-License-Identifier: Apache-2.0
"""A wheel of this build, installed in fresh environments: installed_wheel_test.py SOURCE_DIR BUILD_DIR [TEST]...

Beside the torch that this build has, in each version of Python that is here, and where something is wrong."""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import unittest

import built_wheel
from built_wheel import SCRIPT, SHORT, SOURCE, STEP, STEP_YAML, Wheel, attempt, output, python_of

TORCH = SOURCE / ".venv/lib/python{}.{}/site-packages".format(*sys.version_info[:2])
# Parts that a build of torch without CUDA lacks.
OF_CUDA = re.compile(r"cuda|nvshmem|nvrtc")
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


def put_torch(site, version=None):
    """Puts the build's torch next to the wheel; with a version, an imitation of that one."""
    (site / "torch").mkdir()
    for part in (TORCH / "torch").iterdir():
        (site / "torch" / part.name).symlink_to(part)
    (site / "nvidia").symlink_to(TORCH / "nvidia")
    if version is not None:
        text = (site / "torch/version.py").read_text()
        (site / "torch/version.py").unlink()
        (site / "torch/version.py").write_text(re.sub(r"(?m)^__version__ = .*", f"__version__ = '{version}'", text))


def put_torch_without_cuda(site):
    """Puts a build of torch for CPUs: its libraries need no CUDA, except that libtorch_cpu.so of this build needs
    two of NVIDIA's own."""
    have = re.search(r"__version__ = '([\d.]+)", (TORCH / "torch/version.py").read_text())[1]
    put_torch(site, have + "+cpu")
    (site / "torch/lib").unlink()
    (site / "torch/lib").mkdir()
    for library in (TORCH / "torch/lib").iterdir():
        if not OF_CUDA.search(library.name) and library.name != "libtorch.so":
            (site / "torch/lib" / library.name).symlink_to(library)
    output("cc", "-shared", "-o", site / "torch/lib/libtorch.so", "-Wl,-soname,libtorch.so,-rpath,$ORIGIN",
           "-Wl,--no-as-needed,--allow-shlib-undefined", f"-L{site}/torch/lib", "-ltorch_cpu")
    (site / "nvidia").unlink()
    for library in TORCH.glob("nvidia/cu*/lib/*"):
        if library.name.startswith(("libcupti.so", "libcudart.so")):
            beside = site / library.relative_to(TORCH)
            beside.parent.mkdir(parents=True, exist_ok=True)
            beside.symlink_to(library)


class Installed(Wheel):
    def setUp(self):
        self.at = {"cwd": self.folder, "env": self.environment}
        (self.folder / "script.py").write_text(SCRIPT)
        (self.folder / "step.py").write_text(STEP)
        (self.folder / "step.yaml").write_text(STEP_YAML)

    def mlp(self, venv, *words, device="cpu"):
        """The built-in training of an MLP, which runs in C++ only."""
        site, = venv.glob("lib/python*/site-packages")
        return (venv / "bin/stepbench", "run", site / "stepbench/configs/train_mlp.yaml", "--smoke", "--set",
                f"device={device}", "--no-lock", *words)

    def step(self, venv, *words):
        return venv / "bin/stepbench", "run", "step.yaml", *SHORT, *words

    def launches(self, results):
        file, = (self.folder / results).glob("*/*.jsonl")
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        return [row for row in rows if row["kind"] == "launch"]

    def test_fresh_environment_measures_with_its_torch(self):
        began = time.monotonic()
        venv, site = self.fresh_environment("venv")
        # A script needs no torch.
        output(venv / "bin/stepbench", "run", "--python", "script.py", *SHORT, "--results", "script", **self.at)
        print(f"from nothing to the table of a script: {time.monotonic() - began:.1f} s")
        output(venv / "bin/python", "script.py", **self.at)
        self.assertIn("has no torch: pip install torch==", attempt(*self.mlp(venv), **self.at)[1])
        # A torch in another folder, one of another version next to it, and the matching one.
        (site / "torch.pth").write_text(str(TORCH))
        self.assertIn("smoke", output(*self.mlp(venv, "--results", "elsewhere"), **self.at))
        put_torch(site, "2.9.1+cpu")
        # Workloads in C++ are rejected with what to install; those in Python are measured by Python.
        self.assertRegex(attempt(*self.mlp(venv), **self.at)[1],
                         r"has torch 2.9.1\+cpu, and this stepbench was built for torch [\d.]+")
        self.assertIn("measured by stepbench's worker in Python",
                      output(*self.step(venv, "--results", "another"), **self.at))
        shutil.rmtree(site / "torch")
        (site / "nvidia").unlink()
        put_torch(site)
        began = time.monotonic()
        self.assertIn("smoke", output(*self.mlp(venv, "--results", "beside"), **self.at))
        print(f"a first table of the worker in C++: {time.monotonic() - began:.1f} s")
        # A step in Python: inside the interpreter, and with a module for another one.
        self.assertNotIn("worker in Python", output(*self.step(venv, "--results", "hosted"), **self.at))
        (site / "stepbench/bin/python/stepbench_python.so").unlink()
        self.assertIn("measured by stepbench's worker in Python",
                      output(*self.step(venv, "--results", "fallback"), **self.at))
        launch, = self.launches("script")
        self.assertEqual(launch["outcome"], "measured")
        self.assertEqual(pathlib.Path(launch["effective"]["python.executable"]).parent, venv / "bin")

    def test_torch_without_cuda_computes_the_same(self):
        with_cuda, site = self.fresh_environment("with_cuda")
        put_torch(site)
        without, site = self.fresh_environment("without_cuda")
        put_torch_without_cuda(site)
        libraries = output("ldd", site / "torch/lib/libtorch.so")
        self.assertNotIn("not found", libraries)
        self.assertNotIn("libtorch_cuda", libraries)
        told = {}
        for name, venv in (("with", with_cuda), ("without", without)):
            said = output(*self.mlp(venv, "--results", name), **self.at)
            self.assertNotIn("worker in Python", said)
            launches = self.launches(name)
            self.assertTrue(launches)
            self.assertEqual({launch["outcome"] for launch in launches}, {"measured"})
            told[name] = [(launch["case_id"], launch["fingerprint"]) for launch in launches]
            self.assertGreater(launches[0]["fingerprint"]["loss"], 0)
        self.assertEqual(told["with"], told["without"])
        status, said = attempt(*self.mlp(without, "--results", "cuda", device="cuda"), **self.at)
        self.assertNotEqual(status, 0)
        self.assertRegex(said, r"CUDA|NVIDIA")
        self.assertNotRegex(said, r"SIG\w+|symbol|cannot open")

    def test_each_python_measures_a_script(self):
        for version in ("3.10", "3.11", "3.12", "3.13", "3.14"):
            python = python_of(version)
            if python is None:
                print(f"Python {version} is not here")
                continue
            venv, _ = self.fresh_environment(f"python{version}", python)
            output(venv / "bin/python", "-m", "stepbench", "run", "--python", "script.py", *SHORT, "--results", version,
                   **self.at)
            launch, = self.launches(version)
            self.assertTrue(launch["effective"]["python.version"].startswith(version + "."), launch["effective"])

    def test_read_only_installation_measures(self):
        venv, site = self.fresh_environment("read_only")
        words = [venv / "bin/stepbench", "run", "--python", "script.py", *SHORT, "--results", "read_only_results"]
        mount = "mount --bind {0} {0} && mount -o remount,ro,bind {0} && exec \"$@\"".format(venv)
        private = ("unshare", "--mount", "--propagation", "private", "sh", "-c")
        if attempt(*private, mount, "sh", "touch", site / "written")[0] == 0:
            self.fail("what is mounted read-only was written")
        if attempt(*private, mount, "sh", "true")[0] == 0:
            output(*private, mount, "sh", *words, **self.at)
        else:  # a user who may not mount may not write everywhere either
            output("chmod", "-R", "a-w", site)
            self.addCleanup(subprocess.run, ["chmod", "-R", "u+w", site])
            output(*words, **self.at)
        self.assertEqual([launch["outcome"] for launch in self.launches("read_only_results")], ["measured"])

    def test_half_a_wheel_is_refused_half_an_install_repaired(self):
        venv, site = self.fresh_environment("half", wheel=False)
        half = self.folder / "half" / self.wheel.name
        half.write_bytes(self.wheel.read_bytes()[:1 << 20])
        status, said = attempt(venv / "bin/pip", "install", "--no-index", "--no-deps", half)
        self.assertNotEqual(status, 0)
        self.assertIn("is invalid", said)
        self.assertFalse((site / "stepbench").exists())
        output(venv / "bin/pip", "install", "--no-index", "--no-deps", self.wheel)
        (site / "stepbench/bin/stepbench").unlink()
        run = (venv / "bin/stepbench", "run", "--python", "script.py", *SHORT, "--results", "half_results")
        status, said = attempt(*run, **self.at)
        self.assertEqual(status, 2)
        self.assertIn("not complete", said)
        mend = re.search(r"pip (install --force-reinstall --no-deps) stepbench", said)[1].split()
        output(venv / "bin/pip", *mend, "--no-index", self.wheel)
        output(*run, **self.at)

    @unittest.skipUnless(importlib.util.find_spec("pytest"), "pytest is not installed; tools/setup --tests")
    def test_pytest_fixture_measures_in_a_fresh_environment(self):
        venv, site = self.fresh_environment("pytest")
        beside = {pathlib.Path(importlib.util.find_spec(name).origin).parents[1] for name in ("pytest", "pandas")}
        (site / "beside.pth").write_text("\n".join(map(str, beside)))
        project = self.folder / "project"
        project.mkdir()
        (project / "project_work.py").write_text(WORK)
        (project / "test_work.py").write_text(TEST_OF_WORK)
        done = subprocess.run([venv / "bin/python", "-m", "pytest", "-p", "no:cacheprovider",
                               f"--stepbench-options={' '.join(SHORT)}"], text=True, capture_output=True, timeout=600,
                              cwd=project, env=self.environment)
        self.assertIn("plugins: stepbench", done.stdout, done.stderr)
        self.assertRegex(done.stdout, r"1 failed, 1 passed", done.stdout)
        self.assertIn("must stand at the top of a file", done.stdout)


if __name__ == "__main__":
    built_wheel.main()
