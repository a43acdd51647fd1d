#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cost that `workload: python_step` adds to a training step over the same step in a bare Python loop. Both alternate
in one process, 20 steps each, in CPU time of the training thread: python_step_against_bare.py STEPBENCH WORKER
[PAIRS]"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import campaigns

MOST = 1.01
BLOCK = 20


def main():
    stepbench, worker = sys.argv[1:3]
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    users = pathlib.Path(__file__).with_name("bare_and_measured.py")
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "pairs.json")
        config = pathlib.Path(folder, "both.yaml")
        config.write_text(
            f"workload: python_step\ndevice: cpu\nthreads: {{intra_op: 1}}\nstep: {{path: {users}}}\n"
            f"python: {{out: {out}}}\nlaunches: 1\n"
            f"schedule: {{warmup: {2 * (BLOCK + 1)}, active: {pairs * (BLOCK + 1)}}}\n"
        )
        run = [stepbench, "run", config, "--worker", worker, "--results", folder, "--no-lock"]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
        found = json.loads(out.read_text())
    # Compares a measured block with the bare ones before and after it, so that a drift cancels.
    blocks = found["pairs"]
    ratios = [2 * after[0] / (before[1] + after[1]) for before, after in zip(blocks, blocks[1:])]
    bare = statistics.median(bare for _, bare in blocks)
    ratio = statistics.median(ratios)
    low, high = campaigns.median_interval(ratios)
    print(f"bare step {bare / 1e3:.1f} us; measured : bare {ratio:.4f} [{low:.4f}, {high:.4f}], {len(ratios)} pairs")
    print(f"one phase: {statistics.median(found['phase_ns']):.0f} ns")
    if low > MOST:
        sys.exit(f"python_step costs more than {MOST - 1:.0%} of the step")


if __name__ == "__main__":
    main()
