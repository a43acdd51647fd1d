#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a worker with itself, again and again: how often does `stepbench ab` claim a difference that is not there?

    aa_campaigns.py STEPBENCH IMAGES LOG [--campaigns 60] [--work DIR]

Appends one line per campaign to LOG, whatever came out; goes on where LOG ends. A campaign that was cut off is resumed.
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys

CONFIG = pathlib.Path(__file__).parents[2] / "configs" / "quickstart.yaml"
SMALLEST = ["--filter", "num_workers=0", "--set", "loader.batch_size=4", "--set", "schedule.wait=0",
            "--set", "schedule.warmup=1", "--set", "schedule.active=6"]
MOST_SMALL_P = 7  # of 60 raw p < .05: a sound test exceeds it once in 100 runs


def campaign(arguments, number):
    folder = arguments.work / str(number)
    begun = sorted(folder.glob("*/")) if folder.exists() else []
    where = ["--resume", begun[-1]] if begun else ["--results", folder]
    started = datetime.datetime.now(datetime.timezone.utc)
    load_before = os.getloadavg()[0]
    ended = subprocess.run([arguments.stepbench, "ab", CONFIG, "--pairs", "10", "--seed", str(number), "--quiet", "--no-lock",
                            "--format", "json", "--set", f"data.path={arguments.images}", *SMALLEST, *where],
                           capture_output=True, text=True, check=False)
    if ended.returncode in (130, 143) or ended.returncode < 0:
        raise SystemExit(f"campaign {number} was interrupted; run this again to go on")
    row = {"campaign": number, "started_utc": started.strftime("%Y-%m-%dT%H:%M:%SZ"), "resumed": bool(begun),
           "load_1min": [load_before, os.getloadavg()[0]], "cores": os.cpu_count(), "exit_code": ended.returncode}
    if ended.returncode == 2:
        return row | {"error": ended.stderr}
    verdict = json.loads(ended.stdout)
    row |= {key: verdict[key] for key in ("verdict", "seed", "looks", "q", "confidence", "design")}
    for metric in verdict["cases"][0]["metrics"]:
        row[metric["name"]] = {key: metric[key] for key in (
            "verdict", "reason", "p", "p_adjusted", "change", "change_low", "change_high", "pairs", "dropped",
            "base_median", "candidate_median")}
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepbench", type=pathlib.Path)
    parser.add_argument("images", type=pathlib.Path)
    parser.add_argument("log", type=pathlib.Path)
    parser.add_argument("--campaigns", type=int, default=60)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/aa"))
    arguments = parser.parse_args()
    arguments.log.parent.mkdir(parents=True, exist_ok=True)
    rows = [json.loads(line) for line in arguments.log.read_text().splitlines()] if arguments.log.exists() else []
    for number in range(len(rows), arguments.campaigns):
        rows.append(campaign(arguments, number))
        with arguments.log.open("a") as log:
            log.write(json.dumps(rows[-1]) + "\n")
    steps = [row["step"] for row in rows if "step" in row]
    small = sum(step["p"] is not None and step["p"] < .05 for step in steps)
    claims = sum(step["verdict"] in ("regression", "improvement") for step in steps)
    print(f"{len(rows)} campaigns, {small} with a raw p < .05, {claims} claims")
    return 1 if claims > 0 or small > MOST_SMALL_P * len(rows) / 60 else 0


if __name__ == "__main__":
    sys.exit(main())
