#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures a loader whose workers sleep, and holds `samples/s` against what they must deliver.

    known_rate.py STEPBENCH LOG [--workers 1 2 4 8] [--work DIR]

With N workers that need c for a batch, and a consumer that only waits, a batch comes every c / N. c is the workers' own
measured time per batch. Six launches of 1,000 steps or more per engine and number of workers. Exit status 1 when a step
is off by more than 3 %.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import campaigns  # noqa: E402

TOLERANCE = 0.03
CONFIG = """
name: known-rate
workload: loader
launches: 6
schedule: {wait: 0, warmup: 40, active: 1008}
limits: {wall_s: 120}
data: {kind: synthetic, features: 16, samples: 4096, cost: sleep, cost_us: 1000}
loader: {batch_size: 16, num_workers: 1}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepbench", type=pathlib.Path)
    parser.add_argument("log", type=pathlib.Path)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--engines", nargs="+", default=["thread", "fork"])
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/known_rate"))
    arguments = parser.parse_args()
    arguments.log.parent.mkdir(parents=True, exist_ok=True)
    passed = True
    for engine in arguments.engines:
        for workers in arguments.workers:
            _, folder = campaigns.run(arguments.stepbench, CONFIG, arguments.work, "run", "--set",
                                      f"loader.num_workers={workers}", "--set", f"loader.engine={engine}")
            shown = subprocess.check_output([arguments.stepbench, "show", folder, "--format", "json"])
            case = json.loads(shown)["cases"][0]
            launches, _ = campaigns.lines(folder)
            cost_ns = statistics.median(campaigns.batch_cost_ns(row) for _, row in launches)
            off = case["step_ns"] * workers / cost_ns - 1
            row = {"engine": engine, "workers": workers, "step_ns": case["step_ns"], "low_ns": case["low_ns"],
                   "high_ns": case["high_ns"], "step_p50_ns": case["step_p50_ns"], "batch_cost_ns": cost_ns, "off": off,
                   "samples_per_s": case["samples_per_s"], "passed": abs(off) <= TOLERANCE}
            passed = passed and row["passed"]
            with arguments.log.open("a") as log:
                log.write(json.dumps(row) + "\n")
            print(f"{engine} {workers}: step {case['step_ns'] / 1e6:.3f} ms, c/N {cost_ns / workers / 1e6:.3f} ms, "
                  f"off by {off:+.2%} (median over steps: {case['step_p50_ns'] / 1e6:.3f} ms)"
                  f"{'' if row['passed'] else ': NOT within 3 %'}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
