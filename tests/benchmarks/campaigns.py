# SPDX-License-Identifier: Apache-2.0
"""Shared by the scripts that run campaigns: reads measurements and their intervals."""
import itertools
import json
import math
import pathlib
import random
import statistics
import subprocess

# Bound by its loader: four workers that sleep, so that the number of cores does not matter.
LOADER_BOUND = """
name: planted-loader
workload: train_step
device: cpu
launches: 6
schedule: {wait: 0, warmup: 20, active: 192}
data: {kind: synthetic, features: 64, classes: 10, samples: 8192, cost: sleep, cost_us: 400}
loader: {engine: thread, batch_size: 32, num_workers: 4}
model: {kind: mlp, hidden: 64, layers: 2}
optimizer: {kind: sgd, lr: 0.01}
threads: {intra_op: 1}
"""


def whole_epochs(run_dir, column, batches):
    """Returns the column of each whole epoch without its first step, in nanoseconds."""
    epochs = []
    for file in pathlib.Path(run_dir).glob("*/*.jsonl"):
        for line in file.read_text().splitlines():
            row = json.loads(line)
            if row.get("kind") != "samples":
                continue
            columns = dict(zip(row["columns"], row["values"]))
            for value, flags in zip(columns[column], columns["flags"]):
                if flags & 1:
                    epochs.append([])
                elif epochs:
                    epochs[-1].append(value)
    return [epoch for epoch in epochs if len(epoch) == batches - 1]


def run(stepbench, config, folder, *arguments):
    """Runs a command of stepbench on `config` (its text); returns its exit status and the new run's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "config.yaml"
    file.write_text(config)
    before = set(folder.glob("*/"))
    command, *rest = arguments
    ended = subprocess.run([stepbench, command, file, "--quiet", "--no-lock", "--results", folder, *map(str, rest)],
                           capture_output=True, text=True, check=False)
    made = sorted(set(folder.glob("*/")) - before)
    if ended.returncode in (2, 130, 143) or ended.returncode < 0 or not made:
        raise SystemExit(f"{command}: exit {ended.returncode}\n{ended.stdout}{ended.stderr}")
    return ended.returncode, made[0]


def lines(folder):
    """Returns the launch lines and their samples by key of a run folder."""
    launches, samples = [], {}
    for file in sorted(folder.glob("*.jsonl")):
        for row in map(json.loads, file.read_text().splitlines()):
            key = (row.get("case_id"), row.get("arm", ""), row.get("pass"), row.get("launch"))
            if row["kind"] == "samples":
                columns = samples.setdefault(key, {})
                for name, values in zip(row["columns"], row["values"]):
                    columns.setdefault(name, []).extend(values)
            elif row["kind"] == "launch":
                launches.append((key, row))
    return launches, samples


def batch_cost_ns(launch):
    """Returns the cost of a batch in its worker, as the workers measured it."""
    metrics = launch["metrics"]
    return sum(metrics[f"loader_{part}_ns"] for part in ("fetch", "decode", "collate", "transport")
               if metrics.get(f"loader_{part}_ns") is not None)


def window_mean(columns):
    return sum(columns["step_ns"]) / len(columns["step_ns"])


def steady_median(columns):
    """The estimate of files before version 1.3."""
    flags = columns.get("flags", [0] * len(columns["step_ns"]))
    steady = [step for step, flag in zip(columns["step_ns"], flags) if flag == 0]
    return statistics.median(steady or columns["step_ns"])


def pairs_of(folder, estimate):
    """[(arm a, arm b)] in the order of their launch numbers."""
    _, samples = lines(folder)
    arms = {"a": {}, "b": {}}
    for (_, arm, passed, launch), columns in samples.items():
        if arm in arms and passed == "timing":
            arms[arm][launch] = estimate(columns)
    return [(arms["a"][n], arms["b"][n]) for n in sorted(arms["a"].keys() & arms["b"].keys())]


def tail_counts(n):
    """Number of sign patterns of n pairs with each rank sum."""
    counts = [1]
    for rank in range(1, n + 1):
        counts = [(counts[i] if i < len(counts) else 0) + (counts[i - rank] if i >= rank else 0)
                  for i in range(len(counts) + rank)]
    return counts


def change_interval(pairs, confidence):
    """Hodges-Lehmann estimate and exact signed-rank interval of b/a - 1, from logarithms."""
    logs = [math.log(b / a) for a, b in pairs]
    walsh = sorted((x + y) / 2 for x, y in itertools.combinations_with_replacement(logs, 2))
    below, cut = 0, -1
    for count in tail_counts(len(logs)):
        below += count
        if below / 2 ** len(logs) > (1 - confidence) / 2:
            break
        cut += 1
    if cut < 0:
        raise SystemExit(f"{len(logs)} pairs are too few for an interval of {confidence}")
    return tuple(math.expm1(x) for x in (statistics.median(walsh), walsh[cut], walsh[-1 - cut]))


def median_interval(values):
    """Returns the 95 % interval of the median by resampling."""
    draws = random.Random(0)
    medians = sorted(statistics.median(draws.choices(values, k=len(values))) for _ in range(2000))
    return medians[50], medians[1949]


def verdict_of(folder):
    return json.loads(pathlib.Path(folder, "verdict.json").read_text())
