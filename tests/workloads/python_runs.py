# SPDX-License-Identifier: Apache-2.0
"""Python files of users under `stepbench run`: which of their lines are slow, and what is left of those that misbehave.

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
import time
import unittest

import python_worker

STEPBENCH, WORKER = sys.argv.pop(1), sys.argv.pop(1)
MARK = "STEPBENCH_TEST_OF_PYTHON_RUNS"

DATA = """
    import os, sys, threading, time, torch
    FOLDER = os.path.dirname(os.path.abspath(__file__))
    {top}
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
loader: {{engine: python, batch_size: 4, num_workers: {workers}{loader}}}
schedule: {{wait: 0, warmup: {warmup}, active: {active}}}
launches: 1
limits: {{wall_s: 240, step_s: {step_s}}}
{more}
"""


def marked(mark):
    """Processes that have this mark in their environment."""
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

    def config(self, body, top="", **given):
        """A case on a data set whose __getitem__ begins with `body`."""
        source = DATA.replace("{top}", top).replace("{body}", body)
        path = python_worker.write(self.folder.name, source)
        usual = {"workload": "loader", "workers": 0, "warmup": 0, "active": 4, "step_s": 60, "loader": "", "more": ""}
        config = os.path.join(self.folder.name, "mine.yaml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(path=path, **(usual | given)))
        return config

    def start(self, config):
        run = [STEPBENCH, "run", config, "--worker", WORKER, "--results", os.path.join(self.folder.name, "results")]
        name, _, value = self.mark.partition("=")
        return subprocess.Popen(
            [*run, "--no-lock"], env=os.environ | {name: value}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )

    def run_on(self, config, status=0):
        """What the command printed; `self.lines`: of its result file."""
        process = self.start(config)
        out, _ = process.communicate(timeout=600)
        self.out = out.decode(errors="replace")
        self.assertEqual(process.returncode, status, self.out)
        (self.file,) = glob.glob(os.path.join(self.folder.name, "results", "*", "*.jsonl"))
        with open(self.file, encoding="utf-8") as file:
            self.lines = [json.loads(line) for line in file]
        return self.out

    def launches(self):
        return [line for line in self.lines if line["kind"] == "launch"]

    def page(self):
        case = self.launches()[0]["case_id"]
        show = [STEPBENCH, "show", os.path.dirname(self.file), "--case", case]
        return subprocess.run(show, check=True, capture_output=True, env=os.environ | {"COLUMNS": "160"}).stdout.decode()

    def assert_nothing_left(self, within_s=600):
        deadline = time.monotonic() + within_s
        while marked(self.mark) and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(marked(self.mark), [])


class SlowLines(Runs):
    # Five times as long as the sleep took, so that no machine decides which line is the slower one.
    BODY = """began = time.monotonic()
            time.sleep(0.004)
            until = time.monotonic() + 5 * (time.monotonic() - began)
            while time.monotonic() < until: sum(range(600_000))"""

    def slow_lines(self, workers):
        out = self.run_on(self.config(self.BODY, workers=workers, active=32, more="profile: {stacks: true, active: 32}"))
        timed, profiled = self.launches()
        self.assertEqual((timed["pass"], profiled["pass"]), ("timing", "native"))
        self.assertNotIn("loader.slow_line", [finding["id"] for finding in timed.get("findings", [])])
        (finding,) = [each for each in profiled["findings"] if each["id"] == "loader.slow_line"]
        self.assertRegex(finding["text"], r"my_data\.py:12 in __getitem__, `while .*: sum\(range\(600_000\)\)`")
        self.assertGreater(finding["value"], 0.5)
        self.assertIn("my_data.py:12 in __getitem__", out)
        lines = [line for line in self.page().splitlines() if "my_data.py:" in line and " fetch " in line]
        self.assertIn("my_data.py:12 in __getitem__", lines[0])
        self.assertTrue(any("my_data.py:10 in __getitem__" in line for line in lines[1:]), lines)
        return finding["text"]

    def test_of_workers_are_found_with_file_line_and_code(self):
        self.assertIn("of the workers' time", self.slow_lines(2))

    def test_of_the_training_thread_are_found_as_well(self):
        self.assertIn("of the time to read batches", self.slow_lines(0))

    def test_are_looked_for_in_python_alone(self):
        config = self.config("pass", more="profile: {stacks: true}")
        with open(config, encoding="utf-8") as file:
            text = file.read().replace("engine: python", "engine: thread").replace("kind: python", "kind: synthetic")
        with open(config, "w", encoding="utf-8") as file:
            file.write(text.replace(f", path: {self.folder.name}/my_data.py", ""))
        process = self.start(config)
        out = process.communicate(timeout=600)[0].decode()
        self.assertEqual(process.returncode, 2, out)
        self.assertIn("profile.stacks", out)


class WhatWorkersDo(Runs):
    """Judged by what the kernel counted, never by the clock: on a busy machine, too."""

    COMPUTE = """end = time.thread_time_ns() + 3_000_000
            while time.thread_time_ns() < end: pass"""
    SLEEP = "time.sleep(0.01)"
    STREAM = """
    class Stream(torch.utils.data.IterableDataset):
        def __iter__(self):
            info = torch.utils.data.get_worker_info()
            first, step = (info.id, info.num_workers) if info and {shared} else (0, 1)
            for i in range(first, 4096, step): yield torch.full((3, 8, 8), float(i)), i % 2"""

    def loader_findings(self, config):
        self.run_on(config)
        (launch,) = self.launches()
        return {each["id"]: each for each in launch.get("findings", []) if each["id"].startswith("loader.")}

    def told(self, body, workers):
        """The finding that says what the workers do."""
        found = self.loader_findings(self.config(body, workers=workers, warmup=4, active=48))
        self.assertTrue(found)
        for finding in found.values():  # an advice is one that the engine takes
            for setting in finding.get("set", []):
                plan = [STEPBENCH, "plan", os.path.join(self.folder.name, "mine.yaml")]
                tried = subprocess.run([*plan, "--set", f"{setting['option']}={setting['value']}"], capture_output=True)
                self.assertEqual(tried.returncode, 0, tried.stderr)
        return " ".join(finding["text"] for finding in found.values()), found

    def test_computing_is_called_computing_and_asks_for_no_more_workers_than_cores(self):
        for workers in (1, 2):
            with self.subTest(workers):
                text, found = self.told(self.COMPUTE, workers)
                self.assertNotIn("storage", text)
                # While Python computes it holds the lock, which may be what a step of few batches waits for.
                self.assertRegex(text, "computing|for a CPU|its worker's own reading holds")
                cores = len(os.sched_getaffinity(0))
                for setting in (each for finding in found.values() for each in finding.get("set", [])):
                    if setting["option"] == "loader.num_workers":
                        self.assertLessEqual(int(setting["value"]), cores)
                self.folder.cleanup()
                os.makedirs(self.folder.name)

    def test_sleeping_is_not_called_storage_and_asks_for_more_workers(self):
        text, found = self.told(self.SLEEP, 2)
        if "loader.other_programs" in found:  # they took more time from the workers than the sleep did
            self.assertRegex(text, "waiting for a CPU .*; other programs use")
            return
        self.assertIn("something that is neither a CPU nor storage", text)
        self.assertIn("loader.worker_bound", found, text)
        (setting,) = found["loader.worker_bound"]["set"]
        self.assertGreater(int(setting["value"]), 2)

    def stream(self, shared):
        top = self.STREAM.format(shared=shared)
        config = self.config("pass", top=top, workers=2, warmup=12, active=48)
        path = os.path.join(self.folder.name, "my_data.py")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("return Numbers()", "return Stream()"))
        return self.loader_findings(config)

    def test_a_stream_that_every_worker_reads_whole_is_a_problem(self):
        found = self.stream(shared=False)["loader.repeated_samples"]
        self.assertEqual(found["severity"], "problem")
        self.assertIn("every sample comes 2 times", found["text"])

    def test_a_stream_that_workers_share_is_none(self):
        self.assertNotIn("loader.repeated_samples", self.stream(shared=True))


class HeldLock(Runs):
    # Between two batches the step's C++ leaves the lock to others.
    STEP = {"workload": "train_step", "more": "model: {kind: mlp, size: tiny}"}
    # The thread sleeps in calls of C that do not give the lock away, 100 ms each: one of them in 40 steps is enough.
    TOP = """
    import ctypes
    def hold():
        while True: ctypes.PyDLL(None).usleep(100_000)
    """

    def test_a_thread_that_holds_the_interpreters_lock_is_found(self):
        body = "globals().setdefault('holder', threading.Thread(target=hold, daemon=True)).is_alive() or holder.start()"
        self.run_on(self.config(body, top=self.TOP, active=40, **self.STEP))
        (launch,) = self.launches()
        self.assertGreater(launch["metrics"]["python_gil_wait_ns"], 1_000_000)
        self.assertIn("python.gil", [finding["id"] for finding in launch["findings"]], launch["findings"])
        self.assertIn("Python's lock (GIL)", self.page())

    def test_without_one_there_is_no_wait_to_speak_of(self):
        self.run_on(self.config("time.sleep(0.001)", active=40, **self.STEP))
        (launch,) = self.launches()
        self.assertGreaterEqual(launch["metrics"]["python_gil_wait_ns"], 0)
        self.assertNotIn("python.gil", [finding["id"] for finding in launch.get("findings", [])])


class Sharing(Runs):
    """loader.sharing_strategy: what a worker asks torch for, and what it does to the file's own choice."""

    BODY = "assert torch.utils.data.get_worker_info() is None or torch.multiprocessing.get_sharing_strategy() == 'file_system'"
    SPAWNED = ", start_method: spawn, persistent_workers: true"
    SET = "torch.multiprocessing.set_sharing_strategy('file_system')"

    def test_workers_share_as_the_option_says(self):
        self.run_on(self.config(self.BODY, workers=1, loader=self.SPAWNED + ", sharing_strategy: file_system"))
        self.assertEqual(self.launches()[0]["outcome"], "measured")

    def test_without_it_as_the_file_does(self):
        self.run_on(self.config(self.BODY, top=self.SET, workers=1))

    def test_it_stands_above_the_file(self):
        out = self.run_on(self.config(self.BODY, top=self.SET, workers=1, loader=", sharing_strategy: file_descriptor"), status=4)
        self.assertIn("AssertionError", out)


class Planned(Runs):
    """What is said of the DataLoader's own names before anything runs."""

    def planned(self, loader, status=2):
        config = self.config("pass", loader=loader)
        done = subprocess.run([STEPBENCH, "plan", config], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_names_of_the_data_loaders_arguments_are_answered_with_ours(self):
        for given, said in (("multiprocessing_context: spawn", "did you mean 'start_method'?"),
                            ("sharing_strategy: shm", "expected one of file_descriptor, file_system"),
                            ("collate_fn: f", "define collate(samples) in the file data.path"),
                            ("worker_init_fn: f", "define worker_init(worker) in the file data.path"),
                            ("batch_sampler: f", "define batch_sampler(dataset) in the file data.path"),
                            ("generator: 3", "set loader.seed, or define sampler(dataset)")):
            with self.subTest(given):
                self.assertIn(said, self.planned(", " + given))
        config = self.config("pass")
        done = subprocess.run([STEPBENCH, "plan", config, "--set", "loader.collate_fn=f"], capture_output=True, text=True)
        self.assertIn("define collate(samples)", done.stderr)

    def test_items_that_are_batches_are_for_this_engine_alone(self):
        config = self.config("pass")
        with open(config, encoding="utf-8") as file:
            text = file.read().replace("batch_size: 4", "batch_size: null")
        with open(config, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([STEPBENCH, "plan", config], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(config, "w", encoding="utf-8") as file:
            file.write(text.replace("engine: python", "engine: thread"))
        done = subprocess.run([STEPBENCH, "plan", config], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("null leaves it to the data what a batch is", done.stderr)


class Misbehaving(Runs):
    def test_a_gigabyte_of_output_fills_neither_memory_nor_disk(self):
        self.run_on(self.config("for _ in range(16): sys.stdout.write('x' * (1 << 22) + '\\n')"))
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, 2 << 30)
        written = sum(os.path.getsize(path) for path in glob.glob(f"{self.folder.name}/**", recursive=True))
        self.assertLess(written, 1 << 20)
        self.assertLess(len(self.out), 1 << 20)

    def test_processes_without_end_are_reaped_with_the_launch(self):
        # Each leaves its group and its parent, which ends.
        body = """
            if i > 3: time.sleep(600)
            for _ in range(8):
                if os.fork() == 0:
                    os.setsid()
                    if os.fork() == 0: time.sleep(600)
                    os._exit(0)"""
        self.run_on(self.config(body.strip(), step_s=3), status=4)
        self.assertEqual(self.launches()[0]["outcome"], "failed")
        self.assert_nothing_left()

    def test_a_process_that_ends_in_the_middle_of_a_step_is_the_rows_reason(self):
        self.run_on(self.config("i > 5 and os._exit(7)"), status=4)
        self.assertIn("7", self.launches()[0]["reason"])
        self.assert_nothing_left()


class Killed(Runs):
    def test_at_any_moment_no_python_is_left(self):
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
