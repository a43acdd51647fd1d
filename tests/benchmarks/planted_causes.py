#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants mistakes of a training loop in the real worker and asks `stepbench run --profile` and `analyze` for them.

    planted_causes.py STEPBENCH PLANTED_WORKER [--device cuda] [--only NAME ...] [--work DIR] [--pages]

Each plant is run beside the same step without it: its cause must be named first, with its size, and must not be named
without it. --pages prints the pages as a user sees them. Exit status 1 unless all were found; 77 without the device.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import campaigns  # noqa: E402

CORES = len(os.sched_getaffinity(0))
# A step of ten to forty milliseconds with large operators; its samples cost next to nothing.
STEP = """
name: planted
workload: train_step
device: {device}
launches: 1
schedule: {{wait: 0, warmup: 8, active: 16}}
data: {{kind: synthetic, features: 1024, classes: 10, samples: 8192, fill: label}}
loader: {{engine: inline, batch_size: 8}}
model: {{kind: mlp, hidden: 2048, layers: 4}}
optimizer: {{kind: sgd, implementation: fused, lr: 0.01}}
threads: {{intra_op: 1}}
profile: {{trace: json, active: 16}}
"""
# On a device, kernels take longer than the host needs to launch them.
ON_DEVICE = {"model.hidden": 8192, "loader.batch_size": 128, "data.features": 64}
SLOW = {"data.cost": "sleep", "data.cost_us": 5000}  # a batch of 40 ms
SLOW_FOR_TWO = {"data.cost": "sleep", "data.cost_us": 15000}  # 120 ms a batch: two workers take longer than the step
LATE_MS = 1200  # longer than the steps for all batches that six workers have read ahead


class Found:
    """Findings of one run, and of `analyze` on its trace."""

    def __init__(self, arguments, options, planted):
        config = STEP.format(device=arguments.device)
        if planted:
            config += f"env: {{STEPBENCH_PLANTED: '{planted}'}}\n"
        settings = [word for key, value in options.items() for word in ("--set", f"{key}={value}")]
        status, folder = campaigns.run(arguments.stepbench, config, arguments.work, "run", "--worker",
                                       arguments.planted_worker, "--profile", *settings)
        if status != 0:
            raise SystemExit(f"run: exit {status}, {folder}")
        launches, _ = campaigns.lines(folder)
        self.run = [finding for _, launch in launches for finding in launch.get("findings", [])]
        self.profiled = next(launch["metrics"] for key, launch in launches if key[2] != "timing")
        shown = subprocess.run([arguments.stepbench, "analyze", folder, "--format", "json"], capture_output=True,
                               text=True, check=True)
        self.analysis = json.loads(shown.stdout)
        self.findings = [each for each in self.analysis["findings"] if not each.get("undecided")]
        counted = self.analysis["steps"]["counted"]
        idle = self.analysis["idle"][-1]
        self.wall_ns = sum(idle["wall_ns"][i] for i in counted) / len(counted)
        self.steps = len(counted)
        parts = [key for key in idle if key.endswith("_ns") and (key.startswith("idle_") or key in (
            "compute_ns", "communication_ns", "copy_ns"))]
        for i, wall in enumerate(idle["wall_ns"]):
            if sum(idle[part][i] for part in parts) != wall:
                raise SystemExit(f"the parts of step {i} do not sum to it: {folder}")
        if arguments.pages:
            subprocess.run([arguments.stepbench, "analyze", folder], check=True)

    def finding(self, name):
        return next((each for each in [*self.findings, *self.run] if each["id"] == name), None)


def near(seen, planted, low=0.85, high=1.3):
    return low * planted <= seen <= high * planted


def gain_of(found, name):
    return found.finding(name)["gain_ns"]


def number_in(found, name, pattern):
    match = re.search(pattern, found.finding(name)["text"])
    return float(match.group(1).replace(",", "")) if match else 0.0


def exposed(part):
    """Returns a function for the share of a wait that one kind of loader work has."""
    def share(found):
        parts = found.analysis["blocks"]["loader_work"]["exposed"]
        return parts[f"{part}_ns"] / sum(parts.values())
    return share


def waits_for(milliseconds, part):
    """Checks for the planted cost or the loader's own time of a batch, which is more on a busy machine."""
    def check(found, control):
        gain_ms = gain_of(found, "trace.data_exposed") / 1e6
        took_ms = found.profiled[f"loader_{part}_ns"] / 1e6
        share = exposed(part)(found)
        return (took_ms > 0.95 * milliseconds and near(gain_ms, took_ms) and share > 0.8,
                f"{gain_ms:.2f} ms of {took_ms:.2f} ms ({milliseconds:g} ms planted), {part} {share:.0%}")
    return check


def workers_bound(found, control):
    """Two workers with batches of 120 ms: a step takes 60 ms, whatever its own work."""
    batch = found.analysis["blocks"]["loader_work"]["batch_ns"]["mean"] / 1e6
    own = found.wall_ns - gain_of(found, "trace.data_exposed")
    bound = batch / 2 * 1e6
    text = found.finding("trace.loader_workers")["text"]
    return (near(found.wall_ns, bound, 0.8, 1.4) and batch > 0.95 * 120 and "too few workers" in text and own < bound,
            f"step {found.wall_ns / 1e6:.2f} ms, workers' bound {bound / 1e6:.2f} ms")


def one_is_late(found, control):
    longest = found.analysis["blocks"]["loader_work"]["batch_ns"]["max"] / 1e6
    text = found.finding("trace.loader_workers")["text"]
    return longest > LATE_MS and "much longer than others" in text, f"longest batch {longest:.0f} ms of {LATE_MS}"


def value_of(name, planted):
    def check(found, control):
        seen = found.finding(name)["value"]
        return near(seen, planted, 1, 1), f"{seen:g} of {planted}"
    return check


def operators(count):
    def check(found, control):
        seen = number_in(found, "trace.tiny_operators", r"([\d,]+) operators per step")
        more_ns = found.wall_ns - control.wall_ns
        gain_ns = gain_of(found, "trace.tiny_operators")
        return (near(seen, count, 1, 1.1) and gain_ns < 1.15 * more_ns and gain_ns > 0.4 * more_ns,
                f"{seen:,.0f} of {count:,}; {gain_ns / 1e6:.2f} ms of {more_ns / 1e6:.2f} ms more")
    return check


def blocks(count):
    """Expects `count` blocks or somewhat more: gradients and activations of the step itself are included."""
    def check(found, control):
        seen = number_in(found, "trace.host_allocations", r"in ([\d,.]+) blocks per step")
        return near(seen, count, 1, 1.25), f"{seen:g} blocks of {count}"
    return check


def at_least(name, share):
    def check(found, control):
        more_ns = found.wall_ns - control.wall_ns
        gain_ns = gain_of(found, name)
        return gain_ns > share * more_ns, f"{gain_ns / 1e6:.2f} ms of {more_ns / 1e6:.2f} ms more"
    return check


class Plant:
    def __init__(self, name, cause, check, options=None, base=None, planted="", of_run=None):
        self.name, self.cause, self.check = name, cause, check
        self.base = base or {}  # also used by the control
        self.options = {**self.base, **(options or {})}
        self.planted, self.of_run = planted, of_run


WORKERS = {"loader.engine": "fork", "loader.num_workers": 2}
ON_CPU = [
    Plant("slow data set", "trace.data_exposed", waits_for(40, "fetch"), SLOW, of_run="loader.no_workers"),
    Plant("slow collate", "trace.data_exposed", waits_for(40, "collate"), {"data.collate_us": 5000},
          of_run="loader.no_workers"),
    Plant("too few workers", "trace.data_exposed", workers_bound, SLOW_FOR_TWO, WORKERS, of_run="loader.worker_bound"),
    Plant("straggler", "trace.data_exposed", one_is_late,
          {"data.cost": "sleep", "data.cost_us": 0, "data.straggler_share": 0.01, "data.straggler_us": LATE_MS * 1000},
          {**WORKERS, "loader.num_workers": 6, "profile.active": 48, "schedule.active": 96}, of_run="loader.straggler"),
    Plant("threads of operations", "threads.oversubscribed", value_of("threads.oversubscribed", 4 * CORES),
          {"threads.intra_op": 4 * CORES}),
    Plant("threads of the loader", "loader.oversubscribed", value_of("loader.oversubscribed", 4 * CORES),
          {"data.cost": "spin", "data.cost_us": 5000, "loader.num_workers": 4 * CORES}, {"loader.engine": "thread"}),
    Plant("items", "trace.host_reads", value_of("trace.host_reads", 200), planted="items=200"),
    Plant("tiny operators", "trace.tiny_operators", operators(2000), planted="tiny_ops=2000"),
    Plant("allocations", "trace.host_allocations", blocks(40), planted="allocations=40"),
]
ON_CUDA = [
    Plant("slow data set", "trace.data_exposed", waits_for(40, "fetch"), SLOW, of_run="loader.no_workers"),
    Plant("items", "trace.sync_bound", at_least("trace.sync_bound", 0.4),
          base=ON_DEVICE, planted="items=50"),
    Plant("tiny kernels", "trace.launch_bound", at_least("trace.launch_bound", 0.5),
          base=ON_DEVICE, planted="tiny_ops=2000"),
    Plant("pageable copies", "trace.pageable_copies", at_least("trace.pageable_copies", 0.5),
          base={**ON_DEVICE, "loader.pin_memory": "true", "transfer.non_blocking": "true"}, planted="pageable=20"),
    Plant("synchronous copies", "trace.blocking_copies", at_least("trace.blocking_copies", 0.5),
          base=ON_DEVICE, planted="synchronous=20"),
    Plant("allocations", "trace.allocations", at_least("trace.allocations", 0.4),
          base=ON_DEVICE, planted="allocations=16"),
]


def verdict(plant, found, control):
    """Returns what is wrong and what was found."""
    wrong = []
    if plant.cause.startswith("trace."):
        # Uneven steps are caused by the machine.
        others = [each["id"] for each in found.findings if each.get("gain_ns") and each["id"] != "trace.unstable_steps"]
        info = plant.cause == "trace.host_reads"  # costs nothing on a CPU
        if not info and others[:1] != [plant.cause]:
            wrong.append(f"first: {others[:2]}")
    for name in filter(None, (plant.cause, plant.of_run)):
        if found.finding(name) is None:
            wrong.append(f"no {name}")
        if control.finding(name) is not None:
            wrong.append(f"{name} also without the plant: {control.finding(name)['text']}")
    if found.finding(plant.cause) is None:
        return wrong, ""
    right, seen = plant.check(found, control)
    return wrong + ([] if right else ["size"]), seen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepbench", type=pathlib.Path)
    parser.add_argument("planted_worker", type=pathlib.Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/planted_causes"))
    parser.add_argument("--pages", action="store_true")
    arguments = parser.parse_args()
    if arguments.device.startswith("cuda") and not pathlib.Path("/dev/nvidia0").exists():
        print("skipped: needs a CUDA device")
        return 77
    failed = []
    for plant in ON_CPU if arguments.device == "cpu" else ON_CUDA:
        if arguments.only and plant.name not in arguments.only:
            continue
        found = Found(arguments, plant.options, plant.planted)
        control = Found(arguments, plant.base, "")
        wrong, seen = verdict(plant, found, control)
        print(f"{plant.name}: {plant.cause}, {seen}: {'NOT passed: ' + '; '.join(wrong) if wrong else 'passed'}",
              flush=True)
        failed += [plant.name] if wrong else []
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
