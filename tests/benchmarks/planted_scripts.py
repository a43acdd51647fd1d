#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants what lies between a worker and the step in a script over measure(), and asks `stepbench run --python` for it.

    planted_scripts.py STEPBENCH [--work DIR]

The data of planted_data.py, for which engine python has the same findings (results/planted_loaders.md), and a control of
each. Exit status 1 unless the right findings were made, and in the controls none of them.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SCRIPT = f'''\
import sys, time
sys.path.insert(0, {str(HERE)!r})
from planted_data import Planted
from torch.utils.data import DataLoader
from stepbench_worker import measure

plant, ms, fields, batch, workers, step_ms = sys.argv[1], *map(float, sys.argv[2:])
loader = DataLoader(Planted(plant, ms, 0, 0, int(fields)), batch_size=int(batch), num_workers=int(workers))
for _ in measure(loader):
    time.sleep(step_ms * 1e-3)
'''
TOLD = {"loader.gil", "loader.transport"}
PLANTS = [  # name, arguments of the script, expected part of TOLD
    ("lock held", ("gil", 2, 12, 8, 1, 0), {"loader.gil"}),
    ("reading that gives the lock away", ("c_compute", 2, 12, 8, 1, 0), set()),
    ("transport", ("none", 0, 128, 32, 2, 0), {"loader.transport"}),
    ("little to hand over", ("none", 0, 2, 32, 2, 30), set()),
]


def found_in(arguments, name, words):
    script = arguments.work / "planted.py"
    script.write_text(SCRIPT)
    results = arguments.work / name.replace(" ", "-")
    ended = subprocess.run([arguments.stepbench, "run", "--python", script, "--interpreter",
                            sys.executable, "--launches", "2", "--set", "schedule.warmup=6",
                            "--set", "schedule.active=60", "--results", results, "--", *map(str, words)],
                           capture_output=True, text=True, check=False,
                           env={**os.environ, "PLANTED_FOLDER": str(arguments.work.resolve())})
    if ended.returncode != 0:
        raise SystemExit(f"{name}: {ended.stderr}")
    folder, *_ = sorted(results.glob("*/"), reverse=True)
    rows = [json.loads(line) for file in folder.glob("*.jsonl") for line in file.read_text().splitlines()]
    found = [finding for row in rows if row["kind"] == "launch" for finding in row.get("findings", [])]
    for finding in found:
        print(f"  {finding['id']}: {finding['text']}")
    return {finding["id"] for finding in found}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepbench", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/planted_scripts"))
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for name, words, expected in PLANTS:
        print(name)
        found = found_in(arguments, name, words) & TOLD
        if found != expected:
            wrong += 1
            print(f"  WRONG: expected {sorted(expected)}, found {sorted(found)}")
    print(f"{len(PLANTS) - wrong} of {len(PLANTS)} right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
