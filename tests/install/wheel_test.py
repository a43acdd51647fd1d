# SPDX-License-Identifier: Apache-2.0
"""Content of a wheel of this build, and behaviour of its launcher: wheel_test.py SOURCE_DIR BUILD_DIR [TEST]..."""
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
import unittest
from unittest import mock

import built_wheel
from built_wheel import BUILD, SCRIPT, SHORT, SOURCE, Wheel, output

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


def build_id(file):
    return re.search(r"Build ID: (\w+)", output("readelf", "--notes", file))[1]


class Contents(Wheel):
    def test_wheel_name_has_the_c_library_and_no_python(self):
        self.assertRegex(self.wheel.name, r"^stepbench-[\d.]+-py3-none-manylinux_2_34_x86_64\.whl$")
        tag = self.wheel.stem.split("-", 2)[2]
        facts, = (self.folder / "site").glob("*.dist-info")
        self.assertIn(f"Tag: {tag}\n", (facts / "WHEEL").read_text())
        self.assertLess(self.wheel.stat().st_size, 15 << 20)

    def test_programs_need_no_newer_library_than_named(self):
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
    def test_auditwheel_accepts_all_but_torch(self):
        shown = json.loads(subprocess.run([sys.executable, "-m", "auditwheel", "show", "--json", self.wheel], check=True,
                                          capture_output=True, text=True).stdout)
        missing = {name for name, path in shown.get("external_libs", {}).items() if not (path or "").startswith("/lib")}
        self.assertEqual({name for name in missing if not name.startswith(("libtorch", "libc10"))}, set(), shown)
        self.assertIn("manylinux_2_34", shown["sym_tag"] if "sym_tag" in shown else json.dumps(shown))

    def test_documented_configs_and_examples_are_included(self):
        named = set()
        for page in ("README.md", "tools/COMMANDS.md", "tools/python/README.md", "tools/examples/README.md"):
            text = (SOURCE / page).read_text()
            named |= {"configs/" + name for name in re.findall(r"configs/([\w-]+\.yaml)", text)}
            named |= {name[len("tools/"):] for name in re.findall(r"tools/examples/[\w/]+\.\w+", text)}
        self.assertGreaterEqual(len(named), 3)
        for name in named:
            self.assertTrue((self.folder / "site/stepbench" / name).is_file(), name)

    def test_packages_are_marked_as_typed(self):
        for package in ("stepbench", "stepbench_worker"):
            self.assertIn(f"{package}/py.typed", self.names)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed; tools/setup --tests")
    def test_mypy_checks_user_code(self):
        (self.folder / "user.py").write_text(TYPED)
        check = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "user.py"]
        environment = {**os.environ, "MYPYPATH": str(self.folder / "site")}
        options = ["--follow-imports=silent"]
        done = subprocess.run([*check, *options], cwd=self.folder, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        (self.folder / "user.py").write_text(TYPED.replace("result.cases", "result.cases_of_mine"))
        done = subprocess.run([*check, *options], cwd=self.folder, env=environment, capture_output=True, text=True)
        self.assertIn("cases_of_mine", done.stdout)

    def test_failed_build_leaves_no_wheel(self):
        sys.path.insert(0, str(SOURCE / "tools/package"))
        import make_wheel
        with mock.patch.object(make_wheel, "write_archive", side_effect=OSError("no space left")):
            with self.assertRaises(OSError):
                make_wheel.pack(self.folder, self.folder, self.folder / "half-0.whl")
        self.assertFalse((self.folder / "half-0.whl").exists())

    def test_other_build_folder_makes_the_same_wheel(self):
        """Debug information names the folder, and the linker's build id is of it: a program compiled twice shows that,
        and that nothing of it is delivered; this build with other ids gives the same wheel."""
        sys.path.insert(0, str(SOURCE / "tools/package"))
        from make_wheel import set_build_id
        source = self.folder / "twice.cpp"
        source.write_text("#include <cstdio>\nint main() { std::puts(__FILE__); }\n")
        ids, delivered = set(), set()
        for name in ("one", "another"):
            place = self.folder / name
            place.mkdir()
            output("c++", "-g1", "-Wl,--build-id=sha1", source, "-o", place / "twice", cwd=place)
            ids.add(build_id(place / "twice"))
            output("strip", place / "twice")
            told = set_build_id(place / "twice")
            self.assertEqual(told, build_id(place / "twice"))
            output(place / "twice")
            delivered.add((place / "twice").read_bytes())
        self.assertEqual((len(ids), len(delivered)), (2, 1))

        other = self.folder / "other_build"
        shutil.copytree(BUILD / "tools/stepbench", other / "tools/stepbench", symlinks=True,
                        ignore=shutil.ignore_patterns("CMakeFiles", "stepbench-gbench"))
        for name in ("CMakeCache.txt", "build.ninja"):
            shutil.copy(BUILD / name, other / name)
        for program in ("stepbench", "stepbench-worker"):
            file = other / "tools/stepbench" / program
            had = bytes.fromhex(build_id(file))
            file.write_bytes(file.read_bytes().replace(had, had[::-1]))
        output(SOURCE / "tools/wheel", "--out", self.folder / "again", "--build", other)
        self.assertEqual((self.folder / "again" / self.wheel.name).read_bytes(), self.wheel.read_bytes())

    def test_worker_has_the_id_of_its_launcher(self):
        launcher = (self.folder / "site/stepbench/bin/stepbench-worker").read_text()
        self.assertIn(f"--build-id={build_id(self.folder / 'site/stepbench/bin/stepbench-worker.elf')} ", launcher)

    def test_each_file_is_recorded_with_its_digest(self):
        record, = (name for name in self.names if name.endswith("/RECORD"))
        rows = [line.rsplit(",", 2) for line in (self.folder / "site" / record).read_text().splitlines()]
        self.assertEqual(sorted(name for name, _, _ in rows), sorted(self.names))
        for name, digest, size in rows:
            if name != record:
                content = (self.folder / "site" / name).read_bytes()
                want = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, int(size)), (f"sha256={want}", len(content)), name)

    def test_programs_run_and_find_their_libraries(self):
        for program in ("stepbench", "stepbench-worker", "stepbench-worker.elf"):
            self.assertEqual(self.modes[f"stepbench/bin/{program}"], 0o100755)
        for program, path in (("stepbench", "$ORIGIN/../lib"),
                              ("stepbench-worker.elf", "$ORIGIN/../lib:$ORIGIN/../../torch/lib")):
            dynamic = output("readelf", "-d", self.folder / "site/stepbench/bin" / program)
            self.assertIn(f"(RPATH)              Library rpath: [{path}]", dynamic)
            self.assertNotIn("RUNPATH", dynamic)

    def test_libraries_are_debians_with_licences_without_torch(self):
        libraries = [name for name in self.names if name.startswith("stepbench/lib/")]
        self.assertTrue(libraries)
        torchs = [name for name in self.names if re.search(r"lib(torch|c10|cud|nccl|gomp|c\.so)", name)]
        # Empty files that replace the parts that a torch without CUDA lacks.
        self.assertTrue(all("/without_cuda/" in name for name in torchs), torchs)
        licences = [name for name in self.names if "/licenses/lib" in name]
        shared = [name for name in libraries if name not in torchs and not name.endswith("/")]
        self.assertGreaterEqual(len(licences), len(shared), (licences, shared))
        self.assertGreaterEqual(len(shared), 5)


class Launcher(Wheel):
    """The choice of stepbench-worker for each torch: the ELF file, the torch and the interpreter are stand-ins."""

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

    def test_same_torch_version_starts_the_cpp_worker(self):
        self.torch(self.built + "+cu999")
        self.assertEqual(self.worker("--control-fd=5").stdout.split()[:3], ["in", "C++", "--control-fd=5"])
        self.assertNotIn("without_cuda", self.worker("--control-fd=5").stdout)

    def test_torch_without_cuda_starts_cpp_worker_on_stand_ins(self):
        self.torch(self.built + "+cpu", cuda=False)
        said = self.worker("describe").stdout
        self.assertIn("in C++ describe", said)
        self.assertIn("lib/without_cuda", said)
        for name in ("libtorch_cuda.so", "libc10_cuda.so"):
            self.assertIn(f"[{name}]", output("readelf", "-d", self.site / "stepbench/lib/without_cuda" / name))

    def test_other_torch_version_starts_the_python_worker(self):
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

    def test_missing_torch_names_the_python(self):
        done = self.worker("--control-fd=5")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"{self.python} has no torch: pip install torch=={self.built}", done.stderr)

    def test_incomplete_installation_names_the_missing_file(self):
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

    def test_two_installations_each_run_their_own_parts(self):
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
        # Whatever precedes the script, the program passes it the package next to itself.
        ran = output(self.site / "stepbench/bin/stepbench", "run", "--python", "../script.py", "--interpreter", sys.executable,
                     *SHORT, "--results", "r2", cwd=self.site / "two", env={**python, "PYTHONPATH": str(other)})
        self.assertNotIn("the other one", ran)


if __name__ == "__main__":
    built_wheel.main()
