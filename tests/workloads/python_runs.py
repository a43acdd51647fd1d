# SPDX-License-Identifier: Apache-2.0
"""Users' Python files under `stepbench run`: findings about their workers on real clocks, and leftovers of misbehaving
files.

    python python_runs.py STEPBENCH WORKER [TEST]...
"""
import glob
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

STEPBENCH, WORKER = (os.path.abspath(word) for word in sys.argv[1:3])
del sys.argv[1:3]
MARK = "STEPBENCH_TEST_OF_PYTHON_RUNS"

DATA = """
import os, sys, threading, time, torch
class Numbers(torch.utils.data.Dataset):
    classes = list("ab")
    def __len__(self): return 64
    def __getitem__(self, i):
        {body}
        return torch.zeros(3, 8, 8), i % 2
def dataset(): return Numbers()
"""

CONFIG = """
name: mine
workload: {workload}
device: cpu
data: {{kind: python, path: {path}}}
loader: {{engine: python, batch_size: 4, num_workers: {workers}}}
schedule: {{wait: 0, warmup: {warmup}, active: {active}}}
launches: 1
limits: {{wall_s: 240, step_s: {step_s}}}
{more}
"""


def marked(mark):
    """Returns processes with this mark in their environment."""
    pids = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as file:
                if mark.encode() in file.read():
                    pids.append(int(path.split("/")[2]))
        except OSError:
            pass
    return pids


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.mark = f"{MARK}={os.getpid()}-{self.id()}"

    def config(self, body, **given):
        """A case on a data set whose __getitem__ begins with `body`."""
        path = os.path.join(self.folder.name, "my_data.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(DATA.replace("{body}", textwrap.indent(textwrap.dedent(body).strip(), " " * 8).strip()))
        usual = {"workload": "loader", "workers": 0, "warmup": 0, "active": 4, "step_s": 60, "more": ""}
        config = os.path.join(self.folder.name, "mine.yaml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(path=path, **(usual | given)))
        return config

    def start(self, config, results="results"):
        run = [STEPBENCH, "run", config, "--worker", WORKER, "--results", os.path.join(self.folder.name, results)]
        name, _, value = self.mark.partition("=")
        return subprocess.Popen(
            [*run, "--no-lock"], env=os.environ | {name: value}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )

    def launch_of(self, config, status=0, results="results"):
        """Returns the launch; `self.out`: the command's output."""
        process = self.start(config, results)
        out, _ = process.communicate(timeout=600)
        self.out = out.decode(errors="replace")
        self.assertEqual(process.returncode, status, self.out)
        (file,) = glob.glob(os.path.join(self.folder.name, results, "*", "*.jsonl"))
        with open(file, encoding="utf-8") as opened:
            return next(line for line in map(json.loads, opened) if line["kind"] == "launch")

    def assert_nothing_left(self, within_s=600):
        deadline = time.monotonic() + within_s
        while marked(self.mark) and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(marked(self.mark), [])


class WorkerActivity(Runs):
    """Judged by the kernel's counters."""

    COMPUTE = """
        end = time.thread_time_ns() + 3_000_000
        while time.thread_time_ns() < end: pass"""
    SLEEP = "time.sleep(0.01)"

    def told(self, body, workers):
        """Returns the findings of the loader whose advice the engine accepts."""
        launch = self.launch_of(self.config(body, workers=workers, warmup=4, active=48), results=f"results-{workers}")
        found = {each["id"]: each for each in launch.get("findings", []) if each["id"].startswith("loader.")}
        self.assertTrue(found)
        for setting in (each for finding in found.values() for each in finding.get("set", [])):
            plan = [STEPBENCH, "plan", os.path.join(self.folder.name, "mine.yaml")]
            tried = subprocess.run([*plan, "--set", f"{setting['option']}={setting['value']}"], capture_output=True, check=False)
            self.assertEqual(tried.returncode, 0, tried.stderr)
        return " ".join(finding["text"] for finding in found.values()), found

    def test_computing_suggests_no_more_workers_than_cores(self):
        for workers in (1, 2):
            with self.subTest(workers):
                text, found = self.told(self.COMPUTE, workers)
                self.assertNotIn("storage", text)
                # While Python computes it holds the GIL, which a step of few batches may be waiting for.
                self.assertRegex(text, "computing|for a CPU|its worker's own reading holds")
                for setting in (each for finding in found.values() for each in finding.get("set", [])):
                    if setting["option"] == "loader.num_workers":
                        self.assertLessEqual(int(setting["value"]), len(os.sched_getaffinity(0)))

    def test_sleeping_suggests_more_workers_not_storage(self):
        text, found = self.told(self.SLEEP, 2)
        if "loader.other_programs" in found:  # they delayed the workers by more than the sleep
            self.assertRegex(text, "waiting for a CPU .*; other programs use")
            return
        self.assertIn("something that is neither a CPU nor storage", text)
        self.assertIn("loader.worker_bound", found, text)
        (setting,) = found["loader.worker_bound"]["set"]
        self.assertGreater(int(setting["value"]), 2)

    def test_free_lock_causes_no_wait(self):
        launch = self.launch_of(self.config("time.sleep(0.001)", active=40, workload="train_step",
                                            more="model: {kind: mlp, size: tiny}"))
        self.assertGreaterEqual(launch["metrics"]["python_gil_wait_ns"], 0)
        self.assertNotIn("python.gil", [finding["id"] for finding in launch.get("findings", [])])


class Misbehaving(Runs):
    def test_gigabyte_of_output_fills_no_memory_or_disk(self):
        self.launch_of(self.config("for _ in range(16): sys.stdout.write('x' * (1 << 22) + '\\n')"))
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, 2 << 30)
        written = sum(os.path.getsize(path) for path in glob.glob(f"{self.folder.name}/**", recursive=True))
        self.assertLess(written, 1 << 20)
        self.assertLess(len(self.out), 1 << 20)

    def test_endless_processes_are_reaped_with_the_launch(self):
        # Each leaves its group and its parent, which exits.
        body = """
            if i > 3: time.sleep(600)
            for _ in range(8):
                if os.fork() == 0:
                    os.setsid()
                    if os.fork() == 0: time.sleep(600)
                    os._exit(0)"""
        self.assertEqual(self.launch_of(self.config(body, step_s=3), status=4)["outcome"], "failed")
        self.assert_nothing_left()

    def test_exit_inside_a_step_is_the_reason_of_the_row(self):
        self.assertIn("7", self.launch_of(self.config("i > 5 and os._exit(7)"), status=4)["reason"])
        self.assert_nothing_left()


class Killed(Runs):
    def test_kill_at_any_moment_leaves_no_python(self):
        """The command dies while Python starts, while workers start, and in the middle of a sample that hangs."""
        config = self.config("time.sleep(0.05 if i < 8 else 600)", workers=2)
        runs = [(moment, self.start(config)) for moment in (0.3, 1.0, 2.0, 4.0, 9.0)]
        began = time.monotonic()
        for moment, process in runs:
            time.sleep(max(0, began + moment - time.monotonic()))
            process.send_signal(signal.SIGKILL)
            process.communicate()
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
