# SPDX-License-Identifier: Apache-2.0
"""The wheel with other versions of torch: other_torches_test.py SOURCE_DIR BUILD_DIR [TORCH=PYTHON]...

Each torch, e.g. 2.9.1=3.12, is downloaded into an environment of that Python (3 GB, 6 GB on disk, removed at the end),
one after the other. Without arguments: the oldest and the newest supported ones. The torch of this build must be
measured by the worker in C++, any other by the one in Python."""
import json
import re
import shutil
import sys
import unittest

import built_wheel
from built_wheel import SOURCE, Wheel, attempt, output, python_of

PROMISED = ("2.8.0=3.10", "2.15.0=3.13")
TORCHES = sys.argv[3:] or PROMISED
BUILT_FOR = re.search(r"^torch==([\d.]+)", (SOURCE / "tools/requirements.txt").read_text(), re.M)[1]
DATA = """\
import torch

class Images(torch.utils.data.Dataset):
    classes = list(range(10))
    def __len__(self):
        return 256
    def __getitem__(self, index):
        return torch.full((3, 32, 32), index / 256), index % 10

def dataset():
    return Images()
"""
TRAIN = """\
workload: train_step
device: cpu
data: {kind: python, path: data.py}
loader: {engine: python, batch_size: 8, num_workers: 1}
model: {kind: python, path: EXAMPLES/python/net.py}
optimizer: {kind: adamw}
"""
LOADER = """\
workload: loader
data: {kind: python, path: data.py}
loader: {engine: python, batch_size: 8, num_workers: 1}
"""
SHORT = ("--launches", "2", "--set", "schedule.warmup=2", "--set", "schedule.active=5", "--no-lock")


class OtherTorches(Wheel):
    def test_each_torch_is_measured(self):
        for torch, python in (word.split("=") for word in TORCHES):
            with self.subTest(torch=torch, python=python):
                interpreter = python_of(python)
                self.assertIsNotNone(interpreter, f"Python {python} is not here")
                venv, site = self.fresh_environment("venv", interpreter)
                try:
                    output(venv / "bin/pip", "install", "--no-cache-dir", "--quiet", f"torch=={torch}")
                    self.measure(torch, venv, site)
                finally:
                    shutil.rmtree(venv)

    def measure(self, torch, venv, site):
        work = self.folder / f"work-{torch}"
        work.mkdir()
        package = site / "stepbench"
        (work / "data.py").write_text(DATA)
        (work / "train.yaml").write_text(TRAIN.replace("EXAMPLES", str(package / "examples")))
        (work / "loader.yaml").write_text(LOADER)
        at = {"cwd": work, "env": self.environment}
        in_cpp = torch == BUILT_FOR
        experiments = {
            "script": ("--python", package / "examples/python/train.py"),
            "step": (package / "configs/python_step.yaml", "--filter", "python.num_workers=1", "--profile"),
            "train": ("train.yaml", "--profile"),
            "loader": ("loader.yaml",),
        }
        for name, words in experiments.items():
            said = output(venv / "bin/stepbench", "run", *words, *SHORT, "--results", name, **at)
            launches = self.launches(work / name)
            self.assertGreaterEqual(len(launches), 2, said)
            for launch in launches:
                self.assertEqual(launch["outcome"], "measured", said)
                self.assertEqual(launch["world"], 1)
            self.assertIn(f"torch {torch}", said)
            if name != "script" and not in_cpp:
                self.assertRegex(" ".join(said.split()), r"measured by stepbench's worker in Python.*" + self.why(torch))
        for name in ("step", "train"):
            run, = (work / name).iterdir()
            self.assertRegex(output(venv / "bin/stepbench", "show", run, "--ops", **at), r"aten::\w*(mm|conv)")
        mlp = (venv / "bin/stepbench", "run", package / "configs/train_mlp.yaml", "--smoke", "--set", "device=cpu", "--no-lock")
        if in_cpp:
            output(*mlp, **at)
            return
        status, said = attempt(*mlp, **at)
        self.assertNotEqual(status, 0)
        self.assertRegex(said, self.why(torch) + rf".*pip install torch=={BUILT_FOR}")

    def why(self, torch):
        return rf"has torch {re.escape(torch)}\S*, and this stepbench was built for torch {BUILT_FOR}"

    def launches(self, results):
        file, = results.glob("*/*.jsonl")
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        return [row for row in rows if row["kind"] == "launch"]


if __name__ == "__main__":
    del sys.argv[3:]
    built_wheel.main()
