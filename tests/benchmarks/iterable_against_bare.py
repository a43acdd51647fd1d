#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cost of a step of `loader.engine: iterable` beyond the iterable's own next(): the same batches in a bare loop,
epochs alternating in one process: iterable_against_bare.py STEPBENCH WORKER [EPOCHS [LAUNCHES]]"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import campaigns

MOST_US = 20
BATCHES = 1000
FLOATS = [1, 25_000]


def launch(stepbench, worker, floats, epochs):
    """Returns the extra time of our step over the bare loop in microseconds, by epoch."""
    users = pathlib.Path(__file__).with_name("bare_iterable.py")
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "bare.json")
        config = pathlib.Path(folder, "turns.yaml")
        config.write_text(
            f"workload: loader\ndevice: cpu\nthreads: {{intra_op: 1}}\ndata: {{kind: python, path: {users}}}\n"
            f"loader: {{engine: iterable}}\npython: {{count: {BATCHES}, floats: {floats}, out: {out}}}\nlaunches: 1\n"
            f"schedule: {{warmup: {BATCHES}, active: {epochs * BATCHES}}}\n"
        )
        run = [stepbench, "run", config, "--worker", worker, "--results", folder, "--no-lock"]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ours = [statistics.median(epoch) for epoch in campaigns.whole_epochs(folder, "step_ns", BATCHES)]
        bare = json.loads(out.read_text())[-len(ours) :]
    return [(a - b) / 1e3 for a, b in zip(ours, bare)]


def main():
    stepbench, worker = sys.argv[1:3]
    epochs = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    launches = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    slow = False
    for floats in FLOATS:
        beyond = [each for _ in range(launches) for each in launch(stepbench, worker, floats, epochs)]
        low, high = campaigns.median_interval(beyond)
        print(f"batches of {8 * floats} floats: {statistics.median(beyond):.2f} us a step beyond a bare loop "
              f"[{low:.2f}, {high:.2f}], {len(beyond)} epochs in {launches} launches", flush=True)
        slow |= high > MOST_US
    if slow:
        sys.exit(f"engine iterable costs more than {MOST_US} us a step")


if __name__ == "__main__":
    main()
