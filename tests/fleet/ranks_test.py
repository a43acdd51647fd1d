# SPDX-License-Identifier: Apache-2.0
"""Groups of ranks under real launchers: ranks_test.py STEPBENCH SOURCE_DIR [TEST]..."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import slurm

PROGRAM, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
del sys.argv[1:3]
TRAIN = SOURCE / "tests/fleet/ranks_train.py"
PLANTED_MS = 120.0
STEPS, PROFILED = 12, 10
PATIENCE_S = 600.0

ARGUMENTS = {
    "local": [],
    "torchrun": [],
    "srun": ["--launcher-args", "--nodes 2"],
    "mpirun": ["--launcher-args", "--oversubscribe --allow-run-as-root --bind-to none"],
}


class Ranks(unittest.TestCase):
    on_one_device = False  # two ranks by NCCL on one GPU

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.mark = f"STEPBENCH_TEST_FOLDER={self.folder}"

    def environment(self):
        name, _, value = self.mark.partition("=")
        path = f"{SOURCE / '.venv/bin'}:{os.environ['PATH']}"
        device = {}
        if self.on_one_device:
            path = f"{SOURCE / 'tests/gpu/one_device'}:{path}"
            device = {"STEPBENCH_TEST_DEVICE": "cuda:0"}
        return {**os.environ, name: value, "PATH": path, "XDG_CACHE_HOME": str(self.folder / "cache"), **device}

    def command(self, launcher, mode, *options, size=PLANTED_MS, rank=1, ranks=2):
        return [str(PROGRAM), "run", "--python", str(TRAIN), "--no-lock", "--results", str(self.folder / "results"),
                "--launches", "1", "--set", "schedule.wait=0", "--set", "schedule.warmup=2",
                "--set", f"schedule.active={STEPS}", "--set", "limits.join_s=300", "--ranks", str(ranks), "--launcher",
                launcher, *ARGUMENTS[launcher], *options, "--", mode, str(size), str(rank), str(self.folder / "planted")]

    def run_ranks(self, *words, status=0, prefix=(), **keys):
        result = subprocess.run([*prefix, *self.command(*words, **keys)], env=self.environment(), capture_output=True,
                                text=True, timeout=PATIENCE_S, check=False, cwd=self.folder)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        self.assertEqual(self.left(), [])
        return result

    def launches(self):
        rows = []
        for file in (self.folder / "results").glob("*/*.jsonl"):
            rows += [json.loads(line) for line in file.read_text().splitlines()]
        return [row for row in rows if row["kind"] == "launch"]

    def left(self):
        """Returns the running processes of this test, after waiting for those that are ending."""
        for _ in range(150):
            found = []
            for process in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    if self.mark.encode() in (process / "environ").read_bytes():
                        found.append((process / "cmdline").read_text().replace("\0", " "))
                except OSError:
                    continue
            if not found:
                return []
            time.sleep(0.2)
        return found

    def straggler(self):
        first = [row for row in self.launches() if row["pass"] == "kineto" and row["rank"] == 0]
        self.assertEqual(len(first), 1)
        self.assertEqual(first[0]["outcome"], "measured", first[0])
        return [each for each in first[0].get("findings", []) if each["id"] == "ranks.straggler"], first[0]

    def planted_is_named(self, launcher, prefix=()):
        for mode, doing in (("data", "loading data"), ("backward", "in backward")):
            with self.subTest(launcher=launcher, mode=mode):
                shutil.rmtree(self.folder / "results", ignore_errors=True)
                (self.folder / "planted").unlink(missing_ok=True)
                self.run_ranks(launcher, mode, "--profile", prefix=prefix)
                found, row = self.straggler()
                self.assertEqual(len(found), 1, row)
                self.assertIn("rank 1 holds the others up by", found[0]["text"])
                self.assertIn(doing, found[0]["text"])
                planted = [int(line) for line in (self.folder / "planted").read_text().split()][-PROFILED:]
                mean = sum(planted) / len(planted)
                print(f"{launcher} {mode}: {found[0]['value'] / 1e6:.2f} ms found, {mean / 1e6:.2f} ms planted")
                self.assertLess(abs(found[0]["value"] / mean - 1), 0.1)

    def control_is_silent(self, launcher, prefix=()):
        self.run_ranks(launcher, "none", "--profile", prefix=prefix)
        found, _ = self.straggler()
        for each in found:  # caused by other load, so it must be smaller than the plant
            self.assertLess(each["value"], 0.1 * PLANTED_MS * 1e6, each["text"])

    def each_rank_has_a_row(self, launcher, prefix=()):
        self.run_ranks(launcher, "none", prefix=prefix)
        rows = self.launches()
        self.assertEqual(sorted(row["rank"] for row in rows), [0, 1])
        for row in rows:
            self.assertEqual(row["world"], 2)
            self.assertEqual(row["schedule"]["active"], STEPS)
        show = subprocess.run([str(PROGRAM), "show", "--ranks", str(next((self.folder / "results").iterdir()))],
                              capture_output=True, text=True, check=True)
        self.assertIn("backward", show.stdout)

    def one_fate(self, launcher, prefix=()):
        for mode, words in (("fail", "rank 1: ValueError: no such label: 12"), ("kill", "rank 1: was killed by SIGKILL")):
            with self.subTest(launcher=launcher, mode=mode):
                shutil.rmtree(self.folder / "results", ignore_errors=True)
                self.run_ranks(launcher, mode, status=4, prefix=prefix)
                rows = self.launches()
                self.assertEqual(len(rows), 1)
                self.assertIn(words, rows[0]["reason"])
                self.assertIn("the other rank was ended", rows[0]["reason"])

    def hang_is_named(self, launcher, prefix=()):
        self.run_ranks(launcher, "hang", "--set", "limits.stall_s=8", status=4, prefix=prefix)
        reason = self.launches()[0]["reason"]
        self.assertIn("rank 1: timed out: no message for 8 s (limit: limits.stall_s) in stage", reason)
        self.assertRegex(reason, r"rank 0 stands in ranks_train.py, line \d+, in main, inside torch, rank 1 stands in "
                                 r"ranks_train.py, line \d+, in main \(the other rank was ended\)")

    def killed_controller(self, launcher, prefix=()):
        with subprocess.Popen([*prefix, *self.command(launcher, "hang")], env=self.environment(), stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, cwd=self.folder, start_new_session=True) as run:
            deadline = time.monotonic() + PATIENCE_S
            while not self.in_script() and time.monotonic() < deadline:
                time.sleep(0.2)
            self.assertTrue(self.in_script())
            for pid in self.controllers():
                os.kill(pid, 9)
            if not prefix:
                run.wait()
            self.assertEqual([each for each in self.left() if "__rank" in each or "stepbench_worker" in each], [])
            run.wait()

    def pids(self, *words):
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                line = (process / "cmdline").read_text().replace("\0", " ")
                if self.mark.encode() in (process / "environ").read_bytes() and all(word in line for word in words):
                    found.append(int(process.name))
            except OSError:
                continue
        return found

    def in_script(self):
        """True if both workers run."""
        return len(self.pids("stepbench_worker", "--control-fd=3")) >= 2

    def controllers(self):
        return [pid for pid in self.pids(str(PROGRAM), " run --python ") if "__rank" not in
                pathlib.Path(f"/proc/{pid}/cmdline").read_text()
                and pathlib.Path(f"/proc/{pid}/comm").read_text().startswith("stepbench")]

    def whole(self, launcher, prefix=()):
        self.each_rank_has_a_row(launcher, prefix)
        shutil.rmtree(self.folder / "results")
        self.one_fate(launcher, prefix)
        shutil.rmtree(self.folder / "results")
        self.hang_is_named(launcher, prefix)
        shutil.rmtree(self.folder / "results")
        self.killed_controller(launcher, prefix)
        shutil.rmtree(self.folder / "results")
        self.control_is_silent(launcher, prefix)
        self.planted_is_named(launcher, prefix)

    @unittest.skipUnless(pathlib.Path("/dev/nvidia0").exists(), "needs a CUDA device")
    def test_nccl(self):
        self.on_one_device = True
        self.each_rank_has_a_row("srun")
        shutil.rmtree(self.folder / "results")
        self.one_fate("srun")
        shutil.rmtree(self.folder / "results")
        self.control_is_silent("srun")
        self.planted_is_named("srun")

    def test_local(self):
        self.whole("local")

    def test_torchrun(self):
        self.whole("torchrun")

    @unittest.skipUnless(shutil.which("mpirun"), "no mpirun: apt-get install openmpi-bin")
    def test_mpirun(self):
        self.whole("mpirun")

    @unittest.skipUnless(slurm.missing() == "", slurm.missing())
    def test_srun(self):
        with slurm.Cluster(self.folder / "slurm") as cluster:
            self.whole("srun", cluster.batch)


if __name__ == "__main__":
    unittest.main()
