# SPDX-License-Identifier: Apache-2.0
"""Findings of a worker about users' Python files: slow lines, repeated samples, holders of the GIL; and messages
about the DataLoader's own names before anything runs. python_runs.py tests those that need wall clocks."""
import os
import subprocess
import unittest

import python_worker
from python_hosted import STEPBENCH
from python_worker import Warmed, given

DATA = """
    import ctypes, os, sys, threading, time, torch
    {top}
    class Numbers(torch.utils.data.Dataset):
        classes = list("ab")
        def __len__(self): return 64
        def __getitem__(self, i):
            {body}
            return torch.zeros(3, 8, 8), i % 2
    def dataset(): return Numbers()
"""


class OnNumbers(Warmed):
    def launch(self, body, top="", workload="loader", fails=False, **more):
        fields = {"pass": more.pop("of_pass", "timing")}
        options = {"data.path": python_worker.write(self.folder, DATA.replace("{top}", top).replace("{body}", body))} | given(more)
        return (self.ran if fails else self.measured)(options, workload, **fields)

    def found(self, last):
        return {each["id"]: each for each in last.get("findings", [])}


class SlowLines(OnNumbers):
    # Five times as long as the real sleep, so that the slower line does not depend on the machine.
    BODY = """began = time.monotonic()
            time.sleep(0.004)
            until = time.monotonic() + 5 * (time.monotonic() - began)
            while time.monotonic() < until: sum(range(600_000))"""

    def test_slow_lines_are_found_with_file_line_and_code(self):
        for workers, whose in ((2, "of the workers' time"), (0, "of the time to read batches")):
            with self.subTest(workers):
                last = self.launch(self.BODY, loader__num_workers=workers, profile__stacks=True, profile__active=32,
                                   schedule__active=32, of_pass="native")
                finding = self.found(last)["loader.slow_line"]
                self.assertRegex(finding["text"], r"my_data\.py:11 in __getitem__, `while .*: sum\(range\(600_000\)\)`")
                self.assertIn(whose, finding["text"])
                self.assertGreater(finding["value"], 0.5)
        self.assertNotIn("loader.slow_line", self.found(self.launch(self.BODY)))


class Bound(OnNumbers):
    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "needs two CPUs")
    def test_code_that_takes_the_trainers_cpus_is_a_problem(self):
        for top, told in (("os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})", True), ("", False)):
            found = self.found(self.launch("pass", top=top))
            self.assertEqual("script.cpus" in found, told, found)


class Streams(OnNumbers):
    STREAM = """
    class Stream(torch.utils.data.IterableDataset):
        def __iter__(self):
            info = torch.utils.data.get_worker_info()
            first, step = (info.id, info.num_workers) if info and {shared} else (0, 1)
            for i in range(first, 4096, step): yield torch.full((3, 8, 8), float(i)), i % 2
    """

    def test_iterable_read_whole_by_each_worker_is_a_problem(self):
        for shared in (False, True):
            source = DATA.replace("{top}", self.STREAM.format(shared=shared)).replace("{body}", "pass")
            options = {"data.path": python_worker.write(self.folder, source.replace("return Numbers()", "return Stream()")),
                       "loader.num_workers": 2, "schedule.warmup": 12, "schedule.active": 48}
            finding = self.found(self.measured(options)).get("loader.repeated_samples")
            if shared:
                self.assertIsNone(finding)
            else:
                self.assertEqual(finding["severity"], "problem")
                self.assertIn("every sample comes 2 times", finding["text"])


class HeldLock(OnNumbers):
    # The thread sleeps in C calls that keep the GIL, 100 ms each: one of them in 40 steps is enough. Between two
    # batches the step's C++ releases it.
    TOP = """
    def hold():
        while True: ctypes.PyDLL(None).usleep(100_000)
    """

    def test_thread_holding_the_gil_is_found(self):
        body = "globals().setdefault('holder', threading.Thread(target=hold, daemon=True)).is_alive() or holder.start()"
        last = self.launch(body, top=self.TOP, workload="train_step", schedule__active=40, model__kind="mlp", model__size="tiny")
        self.assertGreater(last["metrics"]["python_gil_wait_ns"], 1_000_000)
        self.assertIn("python.gil", self.found(last))


class Sharing(OnNumbers):
    """loader.sharing_strategy: the worker's call of torch, and the effect on the file's own choice."""

    BODY = "assert torch.utils.data.get_worker_info() is None or torch.multiprocessing.get_sharing_strategy() == 'file_system'"
    SET = "torch.multiprocessing.set_sharing_strategy('file_system')"

    def test_sharing_follows_the_option_then_the_file(self):
        self.launch(self.BODY, loader__num_workers=1, loader__start_method="spawn", loader__persistent_workers=True,
                    loader__sharing_strategy="file_system")
        self.launch(self.BODY, top=self.SET, loader__num_workers=1)
        last = self.launch(self.BODY, top=self.SET, fails=True, loader__num_workers=1, loader__sharing_strategy="file_descriptor")
        self.assertIn("AssertionError", last["message"])


class Planned(Warmed):
    CONFIG = """
        workload: loader
        device: cpu
        data: {kind: python, path: my_data.py}
        loader: {engine: python, batch_size: 4}
    """

    def planned(self, *words, config=CONFIG):
        python_worker.write(self.folder, "def dataset(): pass\n")
        path = python_worker.write(self.folder, config, "mine.yaml")
        done = subprocess.run([STEPBENCH, "plan", path, *words], cwd=self.folder, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    def test_dataloader_argument_names_suggest_options(self):
        self.assertEqual(self.planned(config=self.CONFIG.replace("batch_size: 4", "batch_size: 4, multiprocessing_context: spawn"))[0], 0)
        for assignment, said in (("multiprocessing_context: threads", "spawn"),
                                 ("sharing_strategy: shm", "expected one of file_descriptor, file_system"),
                                 ("collate_fn: f", "define collate(samples) in the file data.path"),
                                 ("worker_init_fn: f", "define worker_init(worker) in the file data.path"),
                                 ("batch_sampler: f", "define batch_sampler(dataset) in the file data.path"),
                                 ("generator: 3", "set loader.seed, or define sampler(dataset)")):
            with self.subTest(assignment):
                status, err = self.planned(config=self.CONFIG.replace("batch_size: 4", "batch_size: 4, " + assignment))
                self.assertEqual(status, 2, err)
                self.assertIn(said, err)
        self.assertIn("define collate(samples)", self.planned("--set", "loader.collate_fn=f")[1])

    def test_python_only_option_is_refused_elsewhere(self):
        null = self.CONFIG.replace("batch_size: 4", "batch_size: null")
        self.assertEqual(self.planned(config=null)[0], 0)
        for config, words, said in ((null, (), "null lets the data define a batch"),
                                    (self.CONFIG, ("--set", "profile.stacks=true"), "profile.stacks")):
            config = config.replace("engine: python", "engine: thread").replace("{kind: python, path: my_data.py}",
                                                                                "{kind: synthetic}")
            status, err = self.planned(*words, config=config)
            self.assertEqual(status, 2)
            self.assertIn(said, err)
