# SPDX-License-Identifier: Apache-2.0
"""Cases with parts in Python where no interpreter can host the worker: the worker in Python against the one in C++.

    python python_fallback.py WORKER
"""
import gzip
import json
import os
import pathlib
import sys
import tempfile
import unittest
from importlib.machinery import EXTENSION_SUFFIXES

import python_worker

WORKER = pathlib.Path(sys.argv.pop(1)).resolve()

DATA = """
    import torch
    class Numbers(torch.utils.data.Dataset):
        classes = ["a", "b", "c"]
        def __len__(self): return 18
        def __getitem__(self, i):
            generator = torch.Generator().manual_seed(i)
            return torch.rand(3, 8, 8, generator=generator), i % 3
    def dataset(): return Numbers()
"""
NET = """
    import torch
    from torch import nn
    def model(classes, input_shape, width=8):
        return nn.Sequential(nn.Conv2d(3, width, 3), nn.ReLU(), nn.Flatten(), nn.Linear(36 * width, classes))
"""
STEP = """
    import torch
    class Step:
        def __init__(self, width):
            self.x = torch.ones(4, width)
            self.loader = [self.x] * 3
        def step(self, record):
            x = record.next(self.loader)
            with record.phase("forward"):
                y = x * 2
            with record.phase("clip_grad"):
                y.clamp_(0, 1)
            return {"samples": 4, "tokens": 8}
        def fingerprint(self): return {"loss": 1.5, "gradient_norm": float("inf")}
    def make(width): return Step(width)
"""


class Fallback(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.worker = python_worker.without_module(cls, WORKER)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def last(self, worker, workload, options, **files):
        paths = {f"{name}.path": python_worker.write(self.folder.name, text, f"my_{name}.py") for name, text in files.items()}
        last, output = python_worker.run(worker, self.folder.name, paths | options, workload)
        self.assertTrue(last, output)
        return last

    def both(self, workload, options=None, **files):
        """What the two workers say last, which must be the same wherever it is no time."""
        given = {"threads.intra_op": 1} | (options or {})
        hosted, alone = (self.last(worker, workload, given, **files) for worker in (WORKER, self.worker))
        self.assertEqual((hosted["kind"], alone["kind"]), ("launch", "launch"), (hosted, alone))
        self.assertEqual(self.columns(alone), self.columns(hosted))
        for samples in alone["samples"]:
            values = dict(zip(samples["columns"], samples["values"]))
            phases = [name for name in values if name.endswith("_ns") and name not in ("step_ns", "epoch_wait_ns")]
            for i, step_ns in enumerate(values["step_ns"]):
                self.assertEqual(sum(values[name][i] for name in phases), step_ns)
        self.assertEqual(alone["fingerprint"].keys(), hosted["fingerprint"].keys())
        for name, value in hosted["fingerprint"].items():
            self.assertEqual(value is None, alone["fingerprint"][name] is None, name)
            if value is not None:
                self.assertAlmostEqual(alone["fingerprint"][name], value, delta=1e-4 * abs(value), msg=name)
        digests = {name for name in hosted["effective"] if name.endswith("digest")}
        for name in digests:
            self.assertEqual(alone["effective"][name], hosted["effective"][name])
        self.assertTrue([note for note in alone["notes"] if "built without Python" in note], alone["notes"])
        return hosted, alone

    @staticmethod
    def columns(last):
        """Names, and the values of those that are no times."""
        samples, = last["samples"]
        return {name: None if name.endswith("_ns") else values
                for name, values in zip(samples["columns"], samples["values"])}

    def test_a_training_step_is_the_same_work_with_the_same_rows(self):
        model = {"model.kind": "python", "loader.shuffle": True, "loader.drop_last": True}
        for options in ({"optimizer.kind": "adamw", "optimizer.lr": 0.01, "optimizer.clip_norm": 0.5},
                        {"model.precision": "bf16", "optimizer.momentum": 0.9, "model.accumulate": 2,
                         "loader.num_workers": 1, "loader.persistent_workers": True}):
            with self.subTest(options):
                hosted, alone = self.both("train_step", model | options, data=DATA, model=NET)
                for same in ("model_parameters", "model_flops_per_step"):
                    self.assertEqual(alone["metrics"][same], hosted["metrics"][same], same)
                self.assertTrue(alone["metrics"].keys() >= {"loader_wait_p50_ns", "loader_fetch_ns", "set_up_ns"})

    def test_an_evaluation_step_and_a_loader_alone_are_measured_too(self):
        self.both("eval_step", {"model.kind": "python"}, data=DATA, model=NET)
        alone = self.last(self.worker, "loader", {}, data=DATA)
        self.assertEqual(self.columns(alone)["samples"], [4, 4, 4, 4, 2])

    def test_a_step_in_python_marks_its_phases_and_its_epochs(self):
        _, alone = self.both("python_step", {"data.kind": None, "loader.engine": None, "python.width": "2"}, step=STEP)
        columns = self.columns(alone)
        self.assertEqual(columns["flags"], [9, 0, 0, 1])
        self.assertEqual(columns["tokens"], [8] * 4)
        self.assertIn("clip_grad_ns", columns)
        self.assertEqual(alone["non_finite"], {"fingerprint.gradient_norm": "inf"})

    def test_a_profiled_step_leaves_a_trace_with_its_steps_and_phases(self):
        path = python_worker.write(self.folder.name, STEP, "my_step.py")
        options = {"data.kind": None, "loader.engine": None, "python.width": "2", "step.path": path, "profile.active": 2}
        said, output = python_worker.run(self.worker, self.folder.name, options, "python_step", run_dir=self.folder.name,
                                         **{"pass": "native"})
        self.assertEqual(said["kind"], "launch", f"{said}\n{output}")
        with gzip.open(pathlib.Path(self.folder.name) / said["effective"]["profile.trace"], "rt") as file:
            names = [event.get("name") for event in json.load(file)["traceEvents"] if event.get("ph") == "X"]
        counts = [names.count(name) for name in ("ProfilerStep#2", "ProfilerStep#3", "aten::mul")]
        self.assertEqual(counts, [1, 1, 2])
        for phase in ("data_wait", "forward", "clip_grad"):
            self.assertEqual(names.count("stepbench::" + phase), 2, phase)
        self.assertTrue([note for note in said["notes"] if "recorded by torch.profiler" in note], said["notes"])

    def test_what_only_c_plus_plus_computes_is_refused_with_the_way_to_it(self):
        said = self.last(self.worker, "eval_step", {"model.kind": "resnet18"}, data=DATA)
        self.assertEqual(said["kind"], "failed", said)
        for words in ("model.kind: resnet18 is computed by stepbench's C++", "python3-dev"):
            self.assertIn(words, said["message"])
        said = self.last(self.worker, "collective", {"collective.op": "all_reduce"}, step="def step(record): pass")
        self.assertIn("workload: collective is computed by stepbench's C++", said["message"])
        for option, value in (("loader.replay", "stopped"), ("loader.record_arrivals", True)):
            said = self.last(self.worker, "train_step", {option: value}, data=DATA, model=NET)
            self.assertEqual(said["kind"], "failed", said)
            self.assertIn(option, said["message"])
            self.assertIn("computed by stepbench's C++", said["message"])

    def test_what_the_users_code_raises_is_the_reason_with_its_traceback(self):
        files = {"step": "def step(record):\n    raise ValueError('no such label')\n"}
        said = self.last(self.worker, "python_step", {"data.kind": None, "loader.engine": None}, **files)
        self.assertEqual(said["kind"], "failed", said)
        self.assertEqual(said["message"], "ValueError: no such label (my_step.py, line 2, in step)")

    def old_python(self, folder):
        """An interpreter that calls itself Python 3.9, with its torch, and finds the host in `folder`."""
        text = ("#!/bin/sh\nshift\nexec " + sys.executable + " -c '\nimport sys, torch\n"
                "sys.version_info = (3, 9, 1); sys.executable = \"old python\"\n"
                f"sys.path.insert(0, \"{folder}\")\n"
                f"sys.argv[0] = \"{folder / 'stepbench_host.py'}\"\n"
                "exec(open(sys.argv[0]).read())' \"$@\"\n")
        other = python_worker.write(self.folder.name, text, "python")
        os.chmod(other, 0o755)
        path = python_worker.write(self.folder.name, STEP, "my_step.py")
        options = {"data.kind": None, "loader.engine": None, "python.width": "2", "step.path": path}
        said, output = python_worker.run(WORKER, self.folder.name, options, "python_step", {"STEPBENCH_PYTHON": other})
        self.assertEqual(said["kind"], "launch", f"{said}\n{output}")
        return " ".join(said["notes"])

    def test_a_python_of_another_version_measures_by_itself(self):
        self.assertRegex(self.old_python(WORKER.parent / "python"),
                         r"measured by stepbench's worker in Python.* old python is Python 3\.9, and this stepbench was "
                         r"built for Python 3\.\d+$")

    def test_a_python_of_another_version_hosts_the_worker_where_a_module_for_it_lies_beside_the_host(self):
        folder = pathlib.Path(self.folder.name, "modules")
        folder.mkdir()
        for file in (WORKER.parent / "python").iterdir():
            name = file.name.replace("stepbench_python.so", "stepbench_python" + EXTENSION_SUFFIXES[0])
            (folder / name).symlink_to(file)
        self.assertNotIn("measured by stepbench's worker in Python", self.old_python(folder))


if __name__ == "__main__":
    unittest.main()
