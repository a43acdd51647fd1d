#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that `background.busy_cpus` slows a step as much as the kernel's fair division of the CPUs predicts.

    planted_background.py STEPBENCH WORKER [LAUNCHES]

One training thread and two busy threads for each of n CPUs: 2n + 1 threads share n CPUs, and the step takes (2n + 1)
/ n times as long. With half a CPU busy out of two, the step takes the same time as alone. Needs a quiet machine."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

MOST_OFF = 0.15
CONFIG = """
name: planted-background
workload: train_step
device: cpu
launches: {launches}
threads: {{intra_op: 1}}
schedule: {{wait: 0, warmup: 60, active: 100}}
loader: {{num_workers: 0}}
data: {{kind: synthetic, features: 256, classes: 10, samples: 4096}}
model: {{kind: mlp, hidden: 512, layers: 4}}
sweep: {{matrix: {{background.busy_cpus: [0, 0.5, {many}]}}}}
"""


def main():
    program, worker = sys.argv[1:3]
    launches = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    cpus = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        (at / "file.yaml").write_text(CONFIG.format(launches=launches, many=2 * cpus))
        run = [program, "run", "file.yaml", "--worker", worker, "--results", "out", "--no-lock"]
        print(subprocess.run(run, cwd=folder, check=True, capture_output=True, text=True).stdout)
        results = next((at / "out").iterdir())
        shown = subprocess.run([program, "show", results, "--format", "json"], check=True, capture_output=True, text=True)
        steps = {row["options"]["background.busy_cpus"]: row["step_ns"] for row in json.loads(shown.stdout)["cases"]}
        lines = [json.loads(line) for file in results.glob("*.jsonl") for line in file.read_text().splitlines()]
    had = sorted(row["machine"]["background_cpus"] for row in lines if "background_cpus" in row.get("machine", {}))
    expected = {0.5: 1.0, 2 * cpus: (2 * cpus + 1) / cpus}
    wrong = []
    for many, times in expected.items():
        seen = steps[many] / steps[0]
        print(f"beside {many} CPUs: {seen:.3f} times the step, expected {times:.3f}")
        if abs(seen / times - 1) > MOST_OFF:
            wrong.append(f"the step beside {many}")
    half = statistics.median(had[: len(had) // 2])
    print(f"half a CPU had {half:.3f}")
    if abs(half / 0.5 - 1) > 0.05:
        wrong.append("half a CPU")
    if wrong:
        sys.exit(f"FAILED: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
