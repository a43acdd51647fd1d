# SPDX-License-Identifier: Apache-2.0
"""Cases with Python parts if no interpreter can host the worker: the worker in Python compared with the one in C++."""
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from importlib.machinery import EXTENSION_SUFFIXES

import python_worker
from python_worker import Warmed

sys.path.insert(0, str(python_worker.WORKER.parent / "python"))
from stepbench_user_code import loader_options  # noqa: E402

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
NO_DATA = {"data.kind": None, "loader.engine": None}


class Fallback(Warmed):
    def on(self, options, **files):
        return {f"{name}.path": python_worker.write(self.folder, text, f"my_{name}.py") for name, text in files.items()} | options

    def both(self, workload, options=None, **files):
        """Returns the last messages of the two workers, which must be equal except for times."""
        options = self.on({"threads.intra_op": 1} | (options or {}), **files)
        hosted, alone = (self.measured(options, workload, alone=alone) for alone in (False, True))
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
        for name in hosted["effective"]:
            if name.endswith("digest"):
                self.assertEqual(alone["effective"][name], hosted["effective"][name])
        self.assertTrue([note for note in alone["notes"] if "built without Python" in note], alone["notes"])
        return hosted, alone

    @staticmethod
    def columns(last):
        """Returns names, and the values of those that are not times."""
        return {name: None if name.endswith("_ns") else values for name, values in last["columns"].items()}

    def test_training_step_does_the_same_work(self):
        model = {"model.kind": "python", "loader.shuffle": True, "loader.drop_last": True}
        for options in ({"optimizer.kind": "adamw", "optimizer.lr": 0.01, "optimizer.clip_norm": 0.5},
                        {"model.precision": "bf16", "optimizer.momentum": 0.9, "model.accumulate": 2,
                         "loader.num_workers": 1, "loader.persistent_workers": True}):
            with self.subTest(options):
                hosted, alone = self.both("train_step", model | options, data=DATA, model=NET)
                for same in ("model_parameters", "model_flops_per_step"):
                    self.assertEqual(alone["metrics"][same], hosted["metrics"][same], same)
                self.assertTrue(alone["metrics"].keys() >= {"loader_wait_p50_ns", "loader_fetch_ns", "set_up_ns"})

    def test_evaluation_and_loader_alone_are_measured(self):
        for options in ({}, {"loader.sampler": "random_with_replacement"}):
            self.both("eval_step", {"model.kind": "python"} | options, data=DATA, model=NET)
        alone = self.measured(self.on({}, data=DATA), alone=True)
        self.assertEqual(alone["columns"]["samples"], [4, 4, 4, 4, 2])

    def test_loader_defaults_are_those_of_the_catalogue(self):
        described = subprocess.run([python_worker.WORKER, "describe"], capture_output=True, check=True).stdout
        loader = next(each for each in json.loads(described)["sections"] if each["name"] == "loader")
        options = loader["options"] + [option for variant in loader["variants"] for option in variant["options"]]
        defaults = {option["name"]: option.get("default") for option in options}
        for name, value in loader_options.DEFAULTS.items():
            self.assertEqual(value or None, defaults[name] or None, name)

    def test_python_step_marks_phases_and_epochs(self):
        _, alone = self.both("python_step", NO_DATA | {"python.width": "2"}, step=STEP)
        self.assertEqual(alone["columns"]["flags"], [9, 0, 0, 1])
        self.assertEqual(alone["columns"]["tokens"], [8] * 4)
        self.assertIn("clip_grad_ns", alone["columns"])
        self.assertEqual(alone["non_finite"], {"fingerprint.gradient_norm": "inf"})

    def test_profiled_step_writes_a_trace_with_phases(self):
        options = self.on(NO_DATA | {"python.width": "2", "profile.active": 2}, step=STEP)
        said = self.measured(options, "python_step", alone=True, run_dir=str(self.folder), **{"pass": "native"})
        with gzip.open(self.folder / said["effective"]["profile.trace"], "rt") as file:
            names = [event.get("name") for event in json.load(file)["traceEvents"] if event.get("ph") == "X"]
        counts = [names.count(name) for name in ("ProfilerStep#2", "ProfilerStep#3", "aten::mul")]
        self.assertEqual(counts, [1, 1, 2])
        for phase in ("data_wait", "forward", "clip_grad"):
            self.assertEqual(names.count("stepbench::" + phase), 2, phase)
        self.assertTrue([note for note in said["notes"] if "recorded by torch.profiler" in note], said["notes"])

    def test_cpp_only_option_is_refused_with_the_remedy(self):
        for workload, options, files, words in (
            ("collective", {"collective.op": "all_reduce"}, {"step": STEP}, ("workload: collective is computed by stepbench's C++",)),
            ("train_step", {"loader.alone": "step"}, {"data": DATA, "model": NET},
             ("loader.alone", "computed by stepbench's C++")),
        ):
            with self.subTest(words):
                self.refused(self.on(options, **files), *words, workload=workload, alone=True)

    def test_build_without_python_uses_the_fallback(self):
        beside = tempfile.TemporaryDirectory(dir=python_worker.WORKER.parent, prefix="no-module-")
        self.addCleanup(beside.cleanup)
        worker = pathlib.Path(beside.name) / python_worker.WORKER.name
        os.link(python_worker.WORKER, worker)
        shutil.copytree(self.warm.host, worker.parent / "python", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        (worker.parent / "stepbench_worker").symlink_to(python_worker.WORKER.parent / "stepbench_worker")
        options = self.on({"model.kind": "resnet18"}, data=DATA)
        last, output = python_worker.run(self.folder, options, "eval_step", worker=worker)
        self.assertEqual(last.get("kind"), "failed", output)
        for words in ("model.kind: resnet18 is computed by stepbench's C++", "python3-dev"):
            self.assertIn(words, last["message"])

    def test_user_exception_is_the_reason_with_traceback(self):
        step = "def step(record):\n    raise ValueError('no such label')\n"
        said = self.refused(self.on(NO_DATA, step=step), workload="python_step", alone=True)
        self.assertEqual(said, "ValueError: no such label (my_step.py, line 2, in step)")

    def test_other_python_version_uses_fallback_or_own_module(self):
        options = self.on(NO_DATA | {"python.width": "2"}, step=STEP)
        notes = " ".join(self.measured(options, "python_step", python="3.9")["notes"])
        self.assertRegex(notes, r"measured by stepbench's worker in Python.* is Python 3\.\d+, and this stepbench was built for "
                                r"Python 3\.9$")
        modules = self.folder / "modules"
        modules.mkdir()
        for file in self.warm.host.iterdir():
            name = file.name.replace("stepbench_python.so", "stepbench_python" + EXTENSION_SUFFIXES[0])
            (modules / name).symlink_to(file)
        notes = " ".join(self.measured(options, "python_step", python="3.9", host=modules)["notes"])
        self.assertNotIn("measured by stepbench's worker in Python", notes)
