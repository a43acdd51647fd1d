# SPDX-License-Identifier: Apache-2.0
"""Counts instructions of real training steps under valgrind: they repeat within 0.1 %, one added operation shows, and a
group of one rank adds none.

usage: count_judges.py STEPBENCH WORKER

Where the machine has no valgrind or this Python no torch, it skips (exit 77).
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM, WORKER = sys.argv[1:3]
FILE = """
workload: train_step
device: cpu
launches: 1
data: {kind: synthetic, features: 64, classes: 10, samples: 512}
loader: {batch_size: 8}
model: {kind: torchscript, path: PATH}
threads: {intra_op: 1}
schedule: {wait: 1, warmup: 5, active: 5}
profile: {counts: valgrind, launches: 2}
compare: {gate: counts}
"""


def save_models(folder):
    import torch

    class Plain(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = torch.nn.Linear(64, 32)
            self.second = torch.nn.Linear(32, 10)

        def forward(self, x):
            return self.second(torch.relu(self.first(x)))

    class WithCopy(Plain):
        def forward(self, x):
            return self.second(torch.relu(self.first(x)).clone())

    for name, kind in {"plain": Plain, "copy": WithCopy}.items():
        torch.manual_seed(0)
        torch.jit.script(kind()).save(str(folder / f"{name}.pt"))


def measured(folder, name, *options, results=""):
    file = folder / f"{name}.yaml"
    file.write_text(FILE.replace("PATH", str(folder / f"{name}.pt")))
    results = folder / (results or name)
    subprocess.run([PROGRAM, "run", file, "--worker", WORKER, "--no-lock", "--results", results, *options], check=True)
    run = next(results.iterdir())
    rows = [json.loads(line) for path in run.glob("*.jsonl") for line in path.open()]
    counts = [row["metrics"]["instructions_per_step"] for row in rows
              if row["kind"] == "launch" and row["pass"] == "wrapped"]
    print(f"{name}: {counts} instructions per step")
    assert len(counts) == 2, "two launches were counted"
    assert max(counts) - min(counts) <= 0.001 * min(counts), "the two differ by more than 0.1 %"
    return run, counts[0]


def compared(base, candidate):
    return subprocess.run([PROGRAM, "compare", base, candidate, "--allow", "all"],
                          check=False, capture_output=True, text=True)


def main():
    if shutil.which("valgrind") is None:
        print("valgrind is not installed")
        return 77
    try:
        import torch  # noqa: F401
    except ImportError:
        print("this Python has no torch")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        save_models(folder)
        plain, plain_count = measured(folder, "plain")
        # A longer path moves addresses, which costs some hundred instructions.
        _, rank_count = measured(folder, "plain", "--ranks", "1", results="group")
        assert abs(rank_count - plain_count) <= 0.0001 * plain_count, "a group of one rank costs instructions"
        copy, copy_count = measured(folder, "copy")
        assert copy_count > 1.001 * plain_count, "an added copy is not seen"
        more = compared(plain, copy)
        print(more.stdout, more.stderr)
        assert more.returncode == 1 and "instructions_per_step" in more.stdout
        same = compared(plain, plain)
        assert same.returncode == 0, same.stdout + same.stderr
    return 0


if __name__ == "__main__":
    sys.exit(main())
