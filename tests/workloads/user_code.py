# SPDX-License-Identifier: Apache-2.0
"""Mistakes in users' files for model.kind python and workload python_step, and their messages: user_code.py
FOLDER_OF_STEPBENCH_HOSTED."""
import contextlib
import io
import os
import sys
import tempfile
import unittest

sys.path.insert(0, sys.argv[1])

from stepbench_user_code import compiled, model, step, user_file  # noqa: E402

MARKED = []


class Mark:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        MARKED.append(self.name)

    def __exit__(self, *_):
        MARKED.append("/" + self.name)


class Refusals(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.count = getattr(Refusals, "count", 0)

    def file(self, text):
        Refusals.count = self.count = self.count + 1
        path = os.path.join(self.folder.name, f"users_file_{self.count}.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    @contextlib.contextmanager
    def told(self, *words, where=None):
        with self.assertRaises(user_file.UserError) as caught:
            yield
        for word in words:
            self.assertIn(word, str(caught.exception))
        if where:
            self.assertIn(where, caught.exception.where)


class Models(Refusals):
    def made(self, text, arguments=()):
        path = self.file(text)
        return model.checked(user_file.call("model.path", path, "model", dict(arguments), {"classes": 10}), path)

    def test_missing_model_function_lists_the_others(self):
        with self.told("has no function model()", "it has: Net, net", where="model.path"):
            self.made("class Net: pass\ndef net(): pass\n")

    def test_unknown_argument_lists_the_known_ones(self):
        with self.told("model(width)", where="python.widht"):
            self.made("def model(width=4): pass\n", {"widht": "8"})

    def test_invalid_module_is_named(self):
        with self.told("returned int", "expected a torch.nn.Module"):
            self.made("def model(): return 3\n")
        with self.told("returned the class Net"):
            self.made("from torch import nn\nclass Net(nn.Module): pass\ndef model(): return Net\n")

    def test_user_error_has_file_line_and_traceback(self):
        printed = io.StringIO()
        with contextlib.redirect_stderr(printed), self.told("ValueError: too deep", where=".py:2"):
            self.made("def model(classes):\n    raise ValueError('too deep')\n")
        self.assertIn("Traceback", printed.getvalue())
        self.assertNotIn("user_file.py", printed.getvalue())

    def test_sys_exit_is_an_error(self):
        with self.told("sys.exit(3)"):
            self.made("import sys\ndef model(): sys.exit(3)\n")

    def test_invalid_output_is_named(self):
        with self.told("returned a tuple of 2", "one tensor of logits"):
            model.logits_of((1, 2), "net.py")


class Steps(Refusals):
    def opened(self, text, arguments=()):
        MARKED.clear()
        facts = {"device": "cpu", "rank": 0, "world": 1}
        marks = {name: Mark(name) for name in ("data_wait", "forward")}
        record = step.Record(marks, lambda first: MARKED.append(f"border {first}"), facts)
        return step.Step(self.file(text), dict(arguments), record, 0)

    def run_once(self, text, arguments=()):
        users = self.opened(text, arguments)
        return users.counts(users.run(users.record))

    def test_function_and_object_are_steps(self):
        self.assertEqual(self.run_once("def step(record): return 4\n"), (4, 0))
        self.assertEqual(self.run_once("def step(record, size): return size\n", {"size": "5"}), (5, 0))
        text = "class S:\n  def step(self, record): return dict(samples=2, tokens=9)\ndef make(): return S()\n"
        self.assertEqual(self.run_once(text), (2, 9))

    def test_missing_step_function_lists_the_others(self):
        with self.told("neither a function make() nor step()", "it has: train"):
            self.opened("def train(): pass\n")

    def test_step_without_record_names_its_parameters(self):
        with self.told("step()", "is called with one argument, the record"):
            self.opened("def step(): pass\n")
        with self.told("returned int", "an object with step(self, record)"):
            self.opened("def make(): return 3\n")

    def test_invalid_result_of_a_step_is_shown(self):
        for nonsense in ("'many'", "dict(sample=3)", "-1", "dict(samples=1.5)", "True"):
            with self.told("step() returned", "dict(samples=..., tokens=...)"):
                self.run_once(f"def step(record): return {nonsense}\n")

    def test_unknown_phase_lists_the_known_ones(self):
        with self.told("there is no phase 'foward'", "data_wait, forward"):
            self.run_once("def step(record):\n  with record.phase('foward'): pass\n")

    def test_batches_are_counted_across_epochs(self):
        users = self.opened(
            "import torch\nfrom torch.utils.data import DataLoader\n"
            "loader = DataLoader(torch.zeros(5, 2), batch_size=3)\n"
            "def step(record): record.next(loader)\n"
        )
        sizes = [users.counts(users.run(users.record))[0] for _ in range(3)]
        self.assertEqual(sizes, [3, 2, 3])
        once = ["data_wait", "/data_wait"]
        self.assertEqual(
            MARKED, ["data_wait", "border True", "/data_wait", *once, "data_wait", "border False", "/data_wait"]
        )

    def test_empty_loader_is_named(self):
        with self.told("gives no batch"):
            self.run_once("def step(record): record.next([])\n")

    def test_fingerprint_is_a_number_or_a_dict(self):
        text = "class S:\n  def step(self, record): pass\n  def fingerprint(self): return {}\ndef make(): return S()\n"
        self.assertEqual(self.opened(text.format("1.5")).fingerprint(), (1.5, None))
        self.assertEqual(self.opened(text.format("dict(gradient_norm=2)")).fingerprint(), (None, 2.0))
        with self.told("fingerprint() returned 'acc'"):
            self.opened(text.format("dict(acc=2)")).fingerprint()


class Compiler(unittest.TestCase):
    def test_missing_compiler_package_is_named(self):
        self.assertIn("python3-dev", compiled.hint(RuntimeError("fatal error: Python.h: No such file or directory")))
        self.assertIn("g++", compiled.hint(RuntimeError("InvalidCxxCompiler: No working C++ compiler found")))
        self.assertEqual(compiled.hint(ValueError("another")), "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
