#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loaders of known speed: is what `show --what-if` says of other numbers of workers what these then measure?

    planted_what_if.py STEPBENCH WORKER [LAUNCHES]

Each loader is measured with 1, 2 and 4 workers; what one of the three says of the two others is held against them."""
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

MOST_OFF = 0.05  # in the median
# Milliseconds that a sample of a batch of 4 takes, how it varies, and the step beside it.
PLANTS = {
    "even batches": "data: {kind: synthetic, features: 16, cost: sleep, cost_us: 5000}\nemulated: {step_us: 6000}",
    "uneven batches": "data: {kind: synthetic, features: 16, cost: sleep, cost_us: 5000, cost_distribution: gamma, cost_cv: 0.8}\n"
                      "emulated: {step_us: 6000, cv: 0.2}",
    "no step beside it": "data: {kind: synthetic, features: 16, cost: sleep, cost_us: 5000}",
    "batches that compute": "data: {kind: synthetic, features: 16, cost: spin, cost_us: 1500}",
    "batches that compute, and a step beside them": "data: {kind: synthetic, features: 16, cost: spin, cost_us: 1500}\n"
                                                    "emulated: {step_us: 5000}",
    "control: a step that never waits": "data: {kind: synthetic, features: 16, cost: sleep, cost_us: 1000}\n"
                                        "emulated: {step_us: 20000}",
}


def main():
    stepbench, worker = sys.argv[1:3]
    launches = sys.argv[3] if len(sys.argv) > 3 else "3"
    errors = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number, (plant, config) in enumerate(PLANTS.items()):
            (folder / "file.yaml").write_text(
                f"name: planted-what-if\nworkload: loader\ndevice: cpu\nlaunches: {launches}\n{config}\n"
                "loader: {batch_size: 4}\nschedule: {wait: 0, warmup: 16, active: 96}\n"
                "sweep: {matrix: {loader.num_workers: [1, 2, 4]}}\n")
            out = folder / str(number)
            subprocess.run([stepbench, "run", folder / "file.yaml", "--worker", worker, "--results", out, "--no-lock",
                            "--quiet"], check=True, stdout=subprocess.DEVNULL)
            said = subprocess.run([stepbench, "show", next(out.iterdir()), "--what-if", "num_workers=1,2,4,8"], check=True,
                                  capture_output=True, text=True).stdout
            print(f"{plant}\n{said}", flush=True)
            held = re.search(r"held against what was measured: (.*);", said).group(1)
            errors += [abs(float(each)) / 100 for each in re.findall(r"[-+]([\d.]+) %", held)]
            if "8 workers would give" not in said or "(not measured)" not in said:
                sys.exit("8 workers are not told of")
    print(f"{len(errors)} numbers of workers held against what they measured: off by {100 * statistics.median(errors):.1f} % in "
          f"the median, at most {100 * max(errors):.1f} %")
    if statistics.median(errors) > MOST_OFF:
        sys.exit(f"more than {100 * MOST_OFF:.0f} % off in the median")


if __name__ == "__main__":
    main()
