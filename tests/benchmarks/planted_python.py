#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants mistakes of a training loop in plain Python under torch.profiler, and asks `stepbench analyze` for them.

    planted_python.py STEPBENCH [--only NAME ...] [--work DIR] [--pages]

Each plant is profiled beside the same loop without it: its cause must be named first, within a tenth of what a
stopwatch in the same run says, and must not be named without it. Two ranks of Gloo are plants of their own. --pages
prints the pages as a user sees them. Exit status 1 unless all were found; 77 without torch.
"""
import argparse
import gc
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

try:
    import torch
    import torch.distributed
    import torch.multiprocessing
    from torch.profiler import ProfilerActivity, profile, schedule
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

WAIT, WARMUP, ACTIVE = 1, 2, 14
COUNTED = range(WAIT + WARMUP + 1, WAIT + WARMUP + ACTIVE - 1)  # analyze excludes the first and the last
BATCH = 128
# Uneven steps are caused by the machine.
OF_THE_MACHINE = {"trace.unstable_steps", "trace.edge_step_bias"}


class Stopwatch:
    """Planted seconds by step: wall time of a wait, CPU time of work."""

    def __init__(self, clock=time.perf_counter):
        self.step, self.seconds, self.clock = 0, {}, clock

    def __enter__(self):
        self.began = self.clock()

    def __exit__(self, *unused):
        self.seconds[self.step] = self.seconds.get(self.step, 0) + self.clock() - self.began

    def per_step_ns(self):
        return 1e9 * sum(self.seconds.get(step, 0) for step in COUNTED) / len(COUNTED)


class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return BATCH * (WAIT + WARMUP + ACTIVE)

    def __getitem__(self, index):
        return index


def collate(before=lambda: None):
    inputs, labels = torch.randn(BATCH, 512), torch.randint(0, 8, (BATCH,))

    def made(indices):
        before()
        return inputs, labels
    return made


def network(width=2048):
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(512, width), torch.nn.ReLU(), torch.nn.Linear(width, width),
                               torch.nn.ReLU(), torch.nn.Linear(width, 8))


def train(path, model, batches, watch, planted=lambda step: None, **options):
    """The profiled loop; `planted` runs between the forward passes of two steps."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with profile(activities=[ProfilerActivity.CPU],
                 schedule=schedule(wait=WAIT, warmup=WARMUP, active=ACTIVE, repeat=1),
                 on_trace_ready=lambda made: made.export_chrome_trace(str(path)), **options) as profiler:
        for step in range(WAIT + WARMUP + ACTIVE):
            watch.step = step
            inputs, labels = next(batches)
            planted(step)
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(inputs), labels).backward()
            optimizer.step()
            profiler.step()


def analysis_of(arguments, path):
    shown = subprocess.run([arguments.stepbench, "analyze", path, "--format", "json"], capture_output=True, text=True,
                           check=True)
    if arguments.pages:
        subprocess.run([arguments.stepbench, "analyze", path], check=True)
    return [json.loads(line) for line in shown.stdout.splitlines()]


class Run:
    def __init__(self, arguments, plant, planted):
        path = arguments.work / f"{plant.name.replace(' ', '_')}_{'planted' if planted else 'control'}.json"
        watch = Stopwatch(plant.clock)
        work = plant.make(watch) if planted else None
        in_collate = plant.in_collate and planted
        loader = torch.utils.data.DataLoader(Samples(), batch_size=BATCH,
                                             collate_fn=collate(work) if in_collate else collate())
        train(path, network(plant.width), iter(loader), watch,
              work if planted and not plant.in_collate else (lambda step: None), **plant.options)
        self.planted_ns = watch.per_step_ns()
        self.analysis = analysis_of(arguments, path)[0]
        self.findings = [each for each in self.analysis["findings"] if not each.get("undecided")]

    def finding(self, name):
        return next((each for each in self.findings if each["id"] == name), None)

    def per_step(self, part):
        idle, counted = self.analysis["idle"][-1], self.analysis["steps"]["counted"]
        return sum(idle[part][i] for i in counted) / len(counted)

    def function_ns(self, word):
        """Returns the step thread's time outside all rows: time inside a Python function."""
        return sum(place["idle_ns"] for place in self.analysis["idle"][-1]["places"]
                   if place["cause"] == "unattributed" and re.search(word, place["name"] or "")) / len(COUNTED)

    def first(self):
        ranked = [each["id"] for each in self.findings if each.get("gain_ns") and each["id"] not in OF_THE_MACHINE]
        return ranked[0] if ranked else None


def sleeping(watch, seconds=0.025):
    def made(*unused):
        with watch:
            time.sleep(seconds)
    return made


def collecting(watch):
    kept = [[i] for i in range(400_000)]  # objects for the garbage collector to scan

    def made(step):
        with watch:
            gc.collect()
        return kept
    return made


def saving(watch):
    weights = {"weights": torch.randn(8 << 20)}
    folder = tempfile.TemporaryDirectory()

    def made(step):
        if step % 4 == 0:
            with watch:
                torch.save(weights, os.path.join(folder.name, "checkpoint.pt"))
    return made


def tiny_operators(watch):
    counter = torch.zeros(4)

    def made(step):
        with watch:
            for _ in range(2000):
                counter.add_(1)
    return made


def reading(watch):
    values = torch.ones(300).unbind()

    def made(step):
        with watch:
            for value in values:
                value.item()
    return made


def allocating(watch):
    def made(step):
        with watch:
            torch.empty(64 << 20, dtype=torch.uint8).fill_(1)
    return made


class Plant:
    def __init__(self, name, cause, make, words=(), options=None, in_collate=False, size=None, width=2048, first=True,
                 clock=time.perf_counter):
        self.name, self.cause, self.make, self.words = name, cause, make, words
        self.options, self.in_collate, self.size, self.width = options or {}, in_collate, size, width
        self.is_first, self.clock = first, clock

    def seen_ns(self, found, control):
        """A gap is all the Python work in it: the plant is a function in it, or is added to it."""
        if self.cause != "trace.unattributed":
            return found.finding(self.cause)["gain_ns"]
        if self.words:
            return found.function_ns(self.words[0])
        return found.per_step("idle_unattributed_ns") - control.per_step("idle_unattributed_ns")

    def verdict(self, found, control):
        wrong = []
        if self.is_first and found.first() != self.cause:
            wrong.append(f"first: {found.first()}")
        if control.finding(self.cause):
            wrong.append(f"also without the plant: {control.finding(self.cause)['text']}")
        finding = found.finding(self.cause)
        if finding is None:
            return wrong + ["not named"], ""
        wrong += [f"does not say {word}: {finding['text']}" for word in self.words
                  if not re.search(word, finding["text"])]
        gain_ns, planted_ns = self.seen_ns(found, control), found.planted_ns
        least, most = self.size or (0.9, 1.1)
        if not least * planted_ns <= gain_ns <= most * planted_ns:
            wrong.append("size")
        return wrong, f"{gain_ns / 1e6:.2f} ms of {planted_ns / 1e6:.2f} ms"


STACKS = {"with_stack": True}
PLANTS = [
    Plant("collate", "trace.data_exposed", sleeping, in_collate=True),
    Plant("Python gap", "trace.unattributed", sleeping),
    Plant("Python gap with stacks", "trace.unattributed", sleeping, [r"sleep", r"planted_python\.py\(\d+\): made"],
          STACKS),
    Plant("garbage collector", "trace.unattributed", collecting, [r"collect", r"planted_python\.py\(\d+\): made"],
          STACKS),
    Plant("checkpoint", "trace.unattributed", saving,
          [r"torch/serialization\.py\(\d+\): save", r"planted_python\.py\(\d+\): made"], STACKS),
    Plant("tiny operators", "trace.tiny_operators", tiny_operators, [r"2,0\d\d operators per step", r"aten::add_"],
          width=128, clock=time.thread_time),
    Plant("items", "trace.host_reads", reading, [r"300 times", r"aten::item"], width=128, clock=time.thread_time),
    # At most the operators that touch its fresh pages. Freeing them takes time outside all rows, which may be more.
    Plant("large block", "trace.host_allocations", allocating, [r"64\.0 MiB in 1 block "], {"profile_memory": True},
          size=(0.1, 1.1), width=256, first=False),
]


def rank_main(rank, port, where, folder):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.distributed.init_process_group("gloo", rank=rank, world_size=2)
    torch.set_num_threads(1)
    watch = Stopwatch()
    late = sleeping(watch) if rank == 1 else (lambda *unused: None)

    class Late(torch.autograd.Function):
        @staticmethod
        def forward(context, inputs):
            return inputs.clone()

        @staticmethod
        def backward(context, gradients):
            if where == "backward":
                late()
            return gradients

    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = network()

        def forward(self, inputs):
            return Late.apply(self.layers(inputs))

    loader = torch.utils.data.DataLoader(Samples(), batch_size=BATCH,
                                         collate_fn=collate(late if where == "data" else (lambda: None)))
    train(folder / f"rank{rank}.json", torch.nn.parallel.DistributedDataParallel(Network()), iter(loader), watch)
    (folder / f"rank{rank}.ns").write_text(str(watch.per_step_ns()))
    torch.distributed.destroy_process_group()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def verdict_of_ranks(arguments, where):
    folder = arguments.work / f"ranks_{where}"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    torch.multiprocessing.spawn(rank_main, args=(free_port(), where, folder), nprocs=2)
    straggler = analysis_of(arguments, folder)[-1]["ranks"]["straggler"]
    if where == "nowhere":
        # Two cores of a machine differ in speed; a straggler below a third of the plants elsewhere is not planted.
        gain_ns = straggler["gain_ns"] if straggler else 0
        return ([] if gain_ns < 25e6 / 3 else [f"a straggler by {gain_ns / 1e6:.2f} ms"]), "none planted"
    planted_ns = float((folder / "rank1.ns").read_text())
    if straggler is None:
        return ["no straggler"], ""
    wrong = [] if straggler["rank"] == 1 else [f"rank {straggler['rank']}"]
    part = {"data": "idle_data_loading", "backward": "idle_backward"}[where]
    if straggler["part"] != part:
        wrong.append(f"part: {straggler['part']}")
    if not 0.9 * planted_ns <= straggler["gain_ns"] <= 1.1 * planted_ns:
        wrong.append("size")
    return wrong, f"{straggler['gain_ns'] / 1e6:.2f} ms of {planted_ns / 1e6:.2f} ms"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepbench", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/planted_python"))
    parser.add_argument("--pages", action="store_true")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    failed = []

    def tell(name, cause, wrong, seen):
        print(f"{name}: {cause}, {seen}: {'NOT passed: ' + '; '.join(wrong) if wrong else 'passed'}", flush=True)
        failed.extend([name] if wrong else [])

    for plant in PLANTS:
        if arguments.only and plant.name not in arguments.only:
            continue
        found, control = Run(arguments, plant, True), Run(arguments, plant, False)
        tell(plant.name, plant.cause, *plant.verdict(found, control))
    for where in ("data", "backward", "nowhere"):
        if not arguments.only or f"ranks {where}" in arguments.only:
            tell(f"ranks {where}", "straggler", *verdict_of_ranks(arguments, where))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
