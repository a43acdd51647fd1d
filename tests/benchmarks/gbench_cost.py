#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Extra cost of a launch in stepbench-gbench over `stepbench run`: the stub worker, alternating runs.

usage: gbench_cost.py BUILD [PAIRS]
"""
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

LAUNCHES = 50
EXPERIMENT = f"""name: cost
workload: stub
launches: {LAUNCHES}
schedule: {{wait: 0, warmup: 0, active: 2}}
"""


def seconds(command):
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - begin


def main() -> int:
    build = pathlib.Path(sys.argv[1]).resolve()
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    programs = build / "tools/stepbench"
    worker = build / "tests/stub_worker/stub-worker"
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "cost.yaml"
        experiment.write_text(EXPERIMENT)
        run = [programs / "stepbench", "run", experiment, "--worker", worker, "--results", folder, "--no-lock", "--quiet"]
        bridge = [programs / "stepbench-gbench", experiment, "--sb-worker", worker, "--sb-results", folder, "--sb-no-lock"]
        more_ms = [(seconds(bridge) - seconds(run)) / LAUNCHES * 1e3 for _ in range(pairs)]
    quartiles = statistics.quantiles(more_ms, n=4)
    print(f"{statistics.median(more_ms):.2f} ms more per launch [{quartiles[0]:.2f}, {quartiles[2]:.2f}] "
          f"(median and quartiles of {pairs} pairs of {LAUNCHES} launches)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
