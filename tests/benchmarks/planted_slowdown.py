#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Slows one phase of the quickstart's smallest case down and asks `stepbench ab` what happened.

    planted_slowdown.py STEPBENCH PLANTED_WORKER IMAGES LOG [--work DIR]

LOG holds the A/A campaigns of aa_campaigns.py: the slow-down is max(3 %, 3 times the median half-width of their
intervals) of their median step. Exit status 1 when it is not found, or not named in its phase.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from aa_campaigns import CONFIG, SMALLEST  # noqa: E402

PHASE = "optimizer"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("stepbench", "worker", "images", "log"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/planted"))
    arguments = parser.parse_args()
    steps = [row["step"] for row in map(json.loads, arguments.log.read_text().splitlines()) if "step" in row]
    half_width = statistics.median((step["change_high"] - step["change_low"]) / 2 for step in steps)
    step_ns = statistics.median(step["base_median"] for step in steps)
    share = max(0.03, 3 * half_width)
    microseconds = round(share * step_ns / 1000)
    print(f"A/A half-width {100 * half_width:.2f} %, planted {100 * share:.1f} % = {microseconds} us in {PHASE}")
    ended = subprocess.run([arguments.stepbench, "ab", CONFIG, "--a", arguments.worker, "--b", arguments.worker,
                            "--b-env", f"STEPBENCH_PLANTED_US={microseconds}", "--pairs", "10", "--quiet", "--no-lock",
                            "--format", "json", "--set", f"data.path={arguments.images}", *SMALLEST,
                            "--results", arguments.work], capture_output=True, text=True, check=False)
    print(ended.stderr, end="")
    verdict = json.loads(ended.stdout)
    case = verdict["cases"][0]
    step = case["metrics"][0]
    named = [cause["phase"] for cause in case["cause"]]
    print(f"exit {ended.returncode}: {step['verdict']}, {100 * step['change']:+.1f} % "
          f"[{100 * step['change_low']:+.1f}, {100 * step['change_high']:+.1f}], cause: {named}")
    return 0 if ended.returncode == 1 and named[:1] == [PHASE] else 1


if __name__ == "__main__":
    sys.exit(main())
