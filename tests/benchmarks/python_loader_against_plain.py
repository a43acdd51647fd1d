#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cost that `loader.engine: python` adds to the wait for a batch over the same loop in plain Python, epochs
alternating in one process, in several launches: python_loader_against_plain.py STEPBENCH WORKER [EPOCHS [LAUNCHES]]"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import campaigns

MOST = 1.02
BATCHES = 24
SETTINGS = [("0.8 MB", 8, 25_000), ("38 MB", 8, 1_200_000)]


def launch(stepbench, worker, size, floats, workers, epochs):
    """Returns pairs of mean waits, ours and the plain loader's, by epoch."""
    users = pathlib.Path(__file__).with_name("plain_loader.py")
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "plain.json")
        config = pathlib.Path(folder, "turns.yaml")
        config.write_text(
            f"workload: loader\ndevice: cpu\nthreads: {{intra_op: 1}}\ndata: {{kind: python, path: {users}}}\n"
            f"loader: {{engine: python, batch_size: {size}, num_workers: {workers}, epochs: separate"
            f"{', persistent_workers: true' if workers else ''}}}\n"
            f"python: {{samples: {size * BATCHES}, floats: {floats}, out: {out}}}\nlaunches: 1\n"
            f"schedule: {{warmup: {BATCHES}, active: {epochs * BATCHES}}}\n"
        )
        run = [stepbench, "run", config, "--worker", worker, "--results", folder, "--no-lock"]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ours = campaigns.whole_epochs(folder, "data_wait_ns", BATCHES)
        plain = json.loads(out.read_text())[-len(ours) :]
    return [(statistics.fmean(a), statistics.fmean(b)) for a, b in zip(ours, plain)]


def main():
    stepbench, worker = sys.argv[1:3]
    epochs = int(sys.argv[3]) if len(sys.argv) > 3 else 16
    launches = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    slow = []
    for name, size, floats in SETTINGS:
        for workers in (0, 1, 2):
            pairs = [
                pair for _ in range(launches) for pair in launch(stepbench, worker, size, floats, workers, epochs)
            ]
            ratios = [ours / plain for ours, plain in pairs]
            low, high = campaigns.median_interval(ratios)
            plain = statistics.median(plain for _, plain in pairs)
            print(
                f"{name}, {workers} workers: plain {plain / 1e3:.0f} us; ours : plain {statistics.median(ratios):.3f} "
                f"[{low:.3f}, {high:.3f}], {len(ratios)} epochs in {launches} launches",
                flush=True,
            )
            if low > 1 and high > MOST:
                slow.append(f"{name}, {workers} workers")
    if slow:
        sys.exit(f"engine python waits longer than plain Python: {'; '.join(slow)}")


if __name__ == "__main__":
    main()
