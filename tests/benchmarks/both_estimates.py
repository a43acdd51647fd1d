#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two estimates of a launch on the same stored campaigns: time over steps of the whole window, and the median of the
steady steps that files before version 1.3 had.

    both_estimates.py STEPBENCH PLANTED_WORKER IMAGES LOG [--pairs 24] [--work DIR]

For a training step of an mlp, of ResNet-18, and one bound by its loader: one campaign of a worker against itself and one
with a change of 5 % planted. From the stored steps of each, both estimates; then 2,000 draws of ten of its pairs, each
judged by the exact signed-rank interval of 95 % against a margin of 1 %. Prints and appends to LOG how often either
estimate claims a change: of A/A campaigns that is false, of the others it is power.
"""
import argparse
import json
import pathlib
import random
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import campaigns  # noqa: E402

MARGIN, PAIRS, DRAWS, PLANTED = 0.01, 10, 2000, 0.05
MLP = """
name: both-mlp
workload: train_step
device: cpu
launches: 6
schedule: {wait: 0, warmup: 10, active: 200}
data: {kind: synthetic, features: 256, classes: 10, samples: 4096}
loader: {batch_size: 32}
model: {kind: mlp, hidden: 128, layers: 8}
optimizer: {kind: sgd, lr: 0.01, momentum: 0.9}
threads: {intra_op: 1}
"""
RESNET = """
name: both-resnet18
workload: train_step
device: cpu
launches: 6
schedule: {wait: 0, warmup: 2, active: 16}
data: {kind: jpeg_folder, path: IMAGES, image_size: 64}
loader: {batch_size: 4}
model: {kind: resnet18}
optimizer: {kind: sgd, lr: 0.01}
threads: {intra_op: 1}
"""
ESTIMATES = {"time / steps": campaigns.window_mean, "median of steady steps": campaigns.steady_median}


def claims(pairs, seed):
    draw = random.Random(seed)
    claimed = 0
    for _ in range(DRAWS):
        _, low, high = campaigns.change_interval([draw.choice(pairs) for _ in range(PAIRS)], 0.95)
        claimed += low > MARGIN or high < -MARGIN
    return claimed / DRAWS


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("stepbench", "planted_worker", "images", "log"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=24)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/both_estimates"))
    arguments = parser.parse_args()
    arguments.log.parent.mkdir(parents=True, exist_ok=True)
    worker = ["--a", arguments.planted_worker, "--b", arguments.planted_worker]
    steps_us = {}
    print(f"{'campaign':28} {'estimate':24} {'change':>8} {'sd of pairs':>12} {'claims':>8}")
    for name, config in {"mlp": MLP, "resnet18": RESNET.replace("IMAGES", str(arguments.images.resolve())),
                         "loader": campaigns.LOADER_BOUND}.items():
        for planted in (0, PLANTED):
            if name == "loader":
                arms = ["--a-set", "data.cost_us=400", "--b-set", f"data.cost_us={400 * (1 + planted)}"]
            else:
                spin = round(planted * steps_us[name]) if planted else 0
                arms = [*worker, "--b-env", f"STEPBENCH_PLANTED_US={spin}"] if planted else worker
            _, folder = campaigns.run(arguments.stepbench, config, arguments.work / name, "ab", "--pairs",
                                      arguments.pairs, "--allow", "noise", "--allow", "load", "--allow", "drift", *arms)
            for label, estimate in ESTIMATES.items():
                pairs = campaigns.pairs_of(folder, estimate)
                logs = [b / a - 1 for a, b in pairs]
                change, _, _ = campaigns.change_interval(pairs, 0.95)
                row = {"campaign": name, "planted": planted, "estimate": label, "pairs": len(pairs), "change": change,
                       "sd_of_pairs": statistics.stdev(logs), "claims_at_10_pairs": claims(pairs, 1), "run": folder.name}
                with arguments.log.open("a") as log:
                    log.write(json.dumps(row) + "\n")
                print(f"{name + f' {planted:+.0%}':28} {label:24} {change:+8.1%} {row['sd_of_pairs']:12.1%} "
                      f"{row['claims_at_10_pairs']:8.1%}", flush=True)
            steps_us[name] = statistics.median(a for a, _ in campaigns.pairs_of(folder, campaigns.window_mean)) / 1000


if __name__ == "__main__":
    main()
