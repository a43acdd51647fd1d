# SPDX-License-Identifier: Apache-2.0
"""What a worker says of a user's Python file that is wrong, and that nothing is left of a worker that ends badly.

    python python_bad_input.py WORKER
"""
import glob
import os
import pathlib
import signal
import sys
import tempfile
import time
import unittest

import python_worker

WORKER = sys.argv.pop(1)

GOOD = """
    import os, sys, time, torch
    class Numbers(torch.utils.data.Dataset):
        def __len__(self): return 16
        def __getitem__(self, i):
            {body}
            return torch.tensor([float(i)]), i
    def dataset(): return Numbers()
"""


def with_body(body):
    return GOOD.replace("{body}", body)


class BadInput(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_on(self, source, environment=None, workload="loader", **options):
        path = python_worker.write(self.folder.name, source)
        given = {"data.path": path} | {name.replace("__", "."): value for name, value in options.items()}
        last, self.output = python_worker.run(WORKER, self.folder.name, given, workload, environment)
        return last

    def refused(self, source, *words, **options):
        last = self.run_on(source, **options)
        self.assertEqual(last.get("kind"), "failed", f"{last}\n{self.output}")
        for word in words:
            self.assertIn(word, last["message"])
        self.assertNotIn("\n", last["message"])
        return last["message"]

    def test_a_file_without_the_function_lists_what_it_has(self):
        self.refused("def datasets(): pass\nclass Mine: pass\n", "no function dataset()", "Mine, datasets")

    def test_an_argument_that_nothing_takes_is_named_with_those_that_are(self):
        self.refused("def dataset(root, width=8): pass\n", "python.widht", "dataset(root, width)",
                     python__root="x", python__widht="9")

    def test_an_argument_that_is_missing_is_named(self):
        self.refused("def dataset(root, width=8): pass\n", "needs root", "python.root")

    def test_a_syntax_error_comes_with_file_and_line(self):
        self.refused("def dataset():\n    return (\n", "my_data.py:2", "was never closed")

    def test_an_import_error_names_the_interpreter(self):
        self.refused("import no_such_module\n", "my_data.py:1", "no_such_module", "--interpreter")

    def test_what_a_function_throws_comes_with_its_traceback(self):
        self.refused("def dataset():\n    return {}['key']\n", "KeyError: 'key'", "my_data.py:2")
        self.assertIn("Traceback", self.output)
        self.assertIn("my_data.py\", line 2, in dataset", self.output)

    def test_an_iterable_data_set_takes_no_sampler(self):
        source = """
            import torch
            class Stream(torch.utils.data.IterableDataset):
                def __iter__(self):
                    for i in range(8): yield torch.tensor([float(i)]), i
            def dataset(): return Stream()
        """
        self.refused(source, "loader.shuffle", "IterableDataset", loader__shuffle=True)
        last = self.run_on(source)
        self.assertEqual(last["kind"], "launch", f"{last}\n{self.output}")

    def test_a_batch_that_is_no_tensors_is_described(self):
        source = with_body("return {'name': 'cat', 'x': torch.zeros(2)}")
        self.refused(source, "dict (name: list of 1 (str)", "collate(samples)")

    def test_a_worker_that_throws_gives_its_traceback(self):
        source = with_body("assert i < 6 or torch.utils.data.get_worker_info() is None, 'sample 6 is broken'")
        for workers, where in ((1, "; loader worker 0)"), (0, ")")):
            if workers == 0:
                source = with_body("assert i < 6, 'sample 6 is broken'")
            message = self.refused(source, "AssertionError: sample 6 is broken (my_data.py, line 6, in __getitem__",
                                   loader__num_workers=workers)
            self.assertTrue(message.endswith(where), message)
            if sys.version_info >= (3, 11):
                self.assertIn("; sample 6", message)
            self.assertIn("Traceback", self.output)

    def test_functions_that_contradict_each_other_or_the_options_are_refused(self):
        both = with_body("pass") + "\n    def batch_sampler(data): return [[0, 1]]\n"
        self.refused(both, "loader.shuffle", "batch_sampler(), which decides that", loader__shuffle=True)
        items = "return torch.zeros(2, 1), torch.zeros(2)"
        self.refused(both.replace("pass", items), "loader.batch_size", "null means that items are batches",
                     loader__batch_size="null")
        self.refused(both + "    def sampler(data): return [0, 1]\n", "leave one of them out")
        self.refused(with_body("pass") + "\n    def sampler(data): return 7\n", "sampler() returned int", "no __iter__")
        self.refused(with_body(items), "loader.drop_last", loader__batch_size="null", loader__drop_last=True)

    def test_a_worker_that_ends_or_is_killed_is_said_so(self):
        in_worker = "if i == 6 and torch.utils.data.get_worker_info() is not None: "
        self.refused(with_body(in_worker + "os._exit(3)"), "loader worker 0", "status 3", loader__num_workers=1)
        self.refused(with_body(in_worker + "os.kill(os.getpid(), 9)"), "loader worker 0", "SIGKILL",
                     loader__num_workers=1)

    def test_a_worker_without_room_for_a_batch_leaves_no_segment(self):
        # From now on files of this process do not grow, and segments are files.
        full = (f"if i == 6 and torch.utils.data.get_worker_info() is not None:\n"
                f"                import resource\n"
                f"                with open('{self.folder.name}/pid', 'w') as file: file.write(str(os.getpid()))\n"
                f"                resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))\n"
                f"            return torch.zeros(999), i")
        self.refused(with_body(full), "unable to", "torch_", loader__num_workers=1)
        pid = pathlib.Path(self.folder.name, "pid").read_text()
        self.assertEqual(glob.glob(f"/dev/shm/torch_{pid}_*"), [])

    def test_a_worker_that_hangs_is_given_up_after_the_timeout(self):
        source = with_body("time.sleep(600 if i == 6 and torch.utils.data.get_worker_info() is not None else 0)")
        self.refused(source, "timed out after 2", loader__num_workers=1, loader__timeout_s=2)

    def test_code_that_exits_the_interpreter_fails_the_case(self):
        self.refused("import sys\nsys.exit(5)\n", "sys.exit(5)")
        self.refused(with_body("sys.exit(6)"), "sys.exit(6)")

    def test_threads_that_the_users_code_sets_are_put_back_and_noted(self):
        source = "import torch\ntorch.set_num_threads(3)\n" + python_worker.textwrap.dedent(with_body("pass"))
        last = self.run_on(source, threads__intra_op=1)
        self.assertEqual(last["kind"], "launch", f"{last}\n{self.output}")
        self.assertTrue(any("threads to 3" in note for note in last["notes"]), last["notes"])

    def test_output_of_the_users_code_stays_outside_the_protocol(self):
        last = self.run_on(with_body("print('x' * 1000)"))
        self.assertEqual(last["kind"], "launch", f"{last}\n{self.output}")
        self.assertIn("xxxx", self.output)

    def test_an_interpreter_that_does_not_fit_is_named(self):
        self.refused("", "/no/python", "--interpreter", environment={"STEPBENCH_PYTHON": "/no/python"})
        other = python_worker.write(self.folder.name, "#!/bin/sh\nexec python3 -S -c '\n"
                                    "import sys; sys.version_info = (3, 9); sys.executable = \"old python\"\n"
                                    "sys.argv = sys.argv[1:]; exec(open(sys.argv[0]).read())' \"$@\"\n", "python")
        os.chmod(other, 0o755)
        self.refused("", "old python is Python 3.9", environment={"STEPBENCH_PYTHON": other})

    def test_a_worker_that_is_killed_leaves_no_python_behind(self):
        path = python_worker.write(self.folder.name, with_body(
            "open(os.path.join(os.path.dirname(__file__), str(os.getpid())), 'w').close(); time.sleep(0.05)"))
        options = {"data.path": path, "loader.num_workers": 2, "schedule.active": 4000, "loader.persistent_workers": True}
        process = python_worker.start(WORKER, self.folder.name, options)
        self.addCleanup(process.stdout.close)
        pids = set()
        deadline = time.monotonic() + 600
        while len(pids) < 3 and time.monotonic() < deadline:  # the worker itself reads a sample first
            time.sleep(0.1)
            pids = {int(name) for name in os.listdir(self.folder.name) if name.isdigit()}
        self.assertGreaterEqual(len(pids), 3)
        process.send_signal(signal.SIGKILL)
        process.wait()
        deadline = time.monotonic() + 600  # their watchdog looks every 5 seconds
        while any(os.path.exists(f"/proc/{pid}/exe") for pid in pids) and time.monotonic() < deadline:
            time.sleep(0.1)
        left = [pid for pid in pids if os.path.exists(f"/proc/{pid}/exe")]
        self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main()
