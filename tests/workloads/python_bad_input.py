# SPDX-License-Identifier: Apache-2.0
"""Messages of a worker about a user's invalid Python file; a failed worker leaves nothing behind."""
import glob
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import time

import python_worker
from python_worker import Warmed, given

GOOD = """
    import os, sys, time, torch
    class Numbers(torch.utils.data.Dataset):
        def __len__(self): return 16
        def __getitem__(self, i):
            {body}
            return torch.tensor([float(i)]), i
    def dataset(): return Numbers()
"""
IN_WORKER = "if i == 6 and torch.utils.data.get_worker_info() is not None: "


def with_body(body):
    return GOOD.replace("{body}", body)


class BadInput(Warmed):
    def on(self, source, **options):
        return {"data.path": python_worker.write(self.folder, source)} | given(options)

    def test_file_error_has_its_place(self):
        both = with_body("pass") + "\n    def batch_sampler(data): return [[0, 1]]\n"
        batches = both.replace("pass", "return torch.zeros(2, 1), torch.zeros(2)")
        sampler = with_body("pass") + "\n    def sampler(data): return 7\n"
        stream = """
            import torch
            class Stream(torch.utils.data.IterableDataset):
                def __iter__(self): return iter([(torch.zeros(1), 0)] * 8)
            def dataset(): return Stream()
        """
        for source, options, words in (
            ("def datasets(): pass\nclass Mine: pass\n", {}, ("no function dataset()", "Mine, datasets")),
            ("def dataset(root, width=8): pass\n", {"python__root": "x", "python__widht": "9"},
             ("python.widht", "dataset(root, width)")),
            ("def dataset(root, width=8): pass\n", {}, ("needs root", "python.root")),
            ("def dataset():\n    return (\n", {}, ("my_data.py:2", "was never closed")),
            ("import no_such_module\n", {}, ("my_data.py:1", "no_such_module", "--interpreter")),
            (stream, {"loader__shuffle": True}, ("loader.shuffle", "IterableDataset")),
            (with_body("return {'name': 'cat', 'x': torch.zeros(2)}"), {},
             ("dict (name: list of 1 (str)", "collate(samples)")),
            (both, {"loader__shuffle": True}, ("loader.shuffle", "batch_sampler(), which decides that")),
            (batches, {"loader__batch_size": "null"}, ("loader.batch_size", "null means that items are batches")),
            (both + "    def sampler(data): return [0, 1]\n", {}, ("leave one of them out",)),
            (sampler, {}, ("sampler() returned int", "no __iter__")),
            (batches.replace("batch_sampler", "other"), {"loader__batch_size": "null", "loader__drop_last": True},
             ("loader.drop_last",)),
            ("import sys\nsys.exit(5)\n", {}, ("sys.exit(5)",)),
            (with_body("sys.exit(6)"), {}, ("sys.exit(6)",)),
        ):
            with self.subTest(words):
                self.refused(self.on(source, **options), *words)

    def test_exception_has_its_traceback(self):
        self.refused(self.on("def dataset():\n    return {}['key']\n"), "KeyError: 'key'", "my_data.py:2")
        self.assertIn("Traceback", self.output)
        self.assertIn("my_data.py\", line 2, in dataset", self.output)

    def test_failing_sample_is_named_with_its_worker(self):
        for workers, body, where in (
            (1, "assert i < 6 or torch.utils.data.get_worker_info() is None, 'sample 6 is broken'", "; loader worker 0)"),
            (0, "assert i < 6, 'sample 6 is broken'", ")"),
        ):
            message = self.refused(self.on(with_body(body), loader__num_workers=workers),
                                   "AssertionError: sample 6 is broken (my_data.py, line 6, in __getitem__")
            self.assertTrue(message.endswith(where), message)
            if sys.version_info >= (3, 11):
                self.assertIn("; sample 6", message)
            self.assertIn("Traceback", self.output)

    def test_ended_killed_or_hanging_worker_is_reported(self):
        for body, words in (("os._exit(3)", ("loader worker 0", "status 3")),
                            ("os.kill(os.getpid(), 9)", ("loader worker 0", "SIGKILL")),
                            ("time.sleep(600)", ("timed out after 2",))):
            with self.subTest(body):
                self.refused(self.on(with_body(IN_WORKER + body), loader__num_workers=1,
                                     loader__timeout_s=2 if "sleep" in body else 0), *words)

    def test_worker_without_room_leaves_no_segment(self):
        # From now on the files of this process cannot grow beyond 64 bytes, and segments are files.
        full = (f"if i == 6 and torch.utils.data.get_worker_info() is not None:\n"
                f"                import resource\n"
                f"                with open('{self.folder}/pid', 'w') as file: file.write(str(os.getpid()))\n"
                f"                resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))\n"
                f"            return torch.zeros(999), i")
        self.refused(self.on(with_body(full), loader__num_workers=1), "unable to", "torch_")
        pid = (self.folder / "pid").read_text()
        self.assertEqual(glob.glob(f"/dev/shm/torch_{pid}_*"), [])

    def test_user_threads_and_output_are_attributed(self):
        source = "import torch\ntorch.set_num_threads(3)\n" + textwrap.dedent(with_body("print('x' * 1000)"))
        last = self.measured(self.on(source, threads__intra_op=1))
        self.assertTrue(any("threads to 3" in note for note in last["notes"]), last["notes"])
        self.assertIn("xxxx", self.output)

    def test_unsuitable_interpreter_is_named(self):
        path = python_worker.write(self.folder, "")
        last, output = python_worker.run(self.folder, {"data.path": path}, environment={"STEPBENCH_PYTHON": "/no/python"})
        self.assertEqual(last.get("kind"), "failed", output)
        self.assertIn("/no/python", last["message"])
        self.assertIn("--interpreter", last["message"])
        # The host executes the worker again, here one that prints its arguments.
        worker = self.folder / "worker"
        worker.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
        worker.chmod(0o755)
        code = ("import sys; sys.version_info = (3, 8); sys.executable = 'old python'; sys.argv = sys.argv[1:]; "
                "exec(open(sys.argv[0]).read())")
        said = subprocess.run([sys.executable, "-S", "-c", code, self.warm.host / "stepbench_host.py", f"--worker={worker}",
                               "--python=3.11", "--torch=2", "--package=", "--", "--case", "x"],
                              capture_output=True, text=True, check=True).stdout
        self.assertRegex(said, "--no-python=old python is Python 3.8: stepbench needs 3.9 or later\n--case\nx")

    def test_killed_worker_leaves_no_python(self):
        options = self.on(with_body(
            "open(os.path.join(os.path.dirname(__file__), str(os.getpid())), 'w').close(); time.sleep(0.05)"),
            loader__num_workers=2, schedule__active=4000, loader__persistent_workers=True)
        process = self.warm.start_case(self.folder, options)
        pids = set()
        deadline = time.monotonic() + 600
        while len(pids) < 3 and time.monotonic() < deadline:  # the worker itself reads a sample first
            time.sleep(0.1)
            pids = {int(name) for name in os.listdir(self.folder) if name.isdigit()}
        self.assertGreaterEqual(len(pids), 3)
        os.kill(process.pid, signal.SIGKILL)
        self.assertEqual(process.wait()[0], -signal.SIGKILL)
        deadline = time.monotonic() + 600  # their watchdog checks every 5 seconds
        while any(pathlib.Path(f"/proc/{pid}/exe").exists() for pid in pids) and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual([pid for pid in pids if os.path.exists(f"/proc/{pid}/exe")], [])
