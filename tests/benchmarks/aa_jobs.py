#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a job of several processes with itself: a script whose batches four worker processes make. How often does
`stepbench ab` claim a difference that is not there, in its time, its waits and its memory?

    aa_jobs.py STEPBENCH LOG [--campaigns 30] [--work DIR]

Appends one line per campaign to LOG, whatever came out; goes on where LOG ends. Exit status 1 where more campaigns claim
something, or more raw p are small, than chance alone gives in 99 of 100 tries.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys

METRICS = ("step", "step_p99", "data_wait", "peak_bytes")
SHORT = ["--set", "schedule.wait=0", "--set", "schedule.warmup=3", "--set", "schedule.active=20"]
JOB = '''\
import multiprocessing
from stepbench_worker import measure

def batch(number):
    kept = bytearray(400_000)
    return sum(i * i for i in range(4000)) + len(kept), [number] * 8

class Loader:
    def __len__(self):
        return 400
    def __iter__(self):
        with multiprocessing.Pool(4) as workers:
            yield from workers.imap(batch, range(len(self)))

for _ in measure(Loader(), samples=lambda batch: 8):
    sum(i for i in range(20_000))
'''


def most_by_chance(tries, p, sure=.99):
    """Returns the largest count that is plausible among so many tries of this chance."""
    total = 0.0
    for count in range(tries + 1):
        total += math.comb(tries, count) * p**count * (1 - p)**(tries - count)
        if total >= sure:
            return count
    return tries


def campaign(arguments, job, number):
    load_before = os.getloadavg()[0]
    ended = subprocess.run([arguments.stepbench, "ab", "--python", job, "--pairs", "10", "--seed", str(number), "--quiet",
                            "--no-lock", "--format", "json", "--metric", ",".join(METRICS), *SHORT,
                            "--results", arguments.work / str(number)], capture_output=True, text=True, check=False)
    row = {"campaign": number, "load_1min": [load_before, os.getloadavg()[0]], "exit_code": ended.returncode}
    if ended.returncode == 2 or not ended.stdout:
        return row | {"error": ended.stderr}
    for metric in json.loads(ended.stdout)["cases"][0]["metrics"]:
        row[metric["name"]] = {key: metric[key] for key in ("verdict", "p", "change", "change_low", "change_high")}
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepbench", type=pathlib.Path)
    parser.add_argument("log", type=pathlib.Path)
    parser.add_argument("--campaigns", type=int, default=30)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/aa_jobs"))
    arguments = parser.parse_args()
    for folder in (arguments.log.parent, arguments.work):
        folder.mkdir(parents=True, exist_ok=True)
    job = arguments.work / "job.py"
    job.write_text(JOB)
    rows = [json.loads(line) for line in arguments.log.read_text().splitlines()] if arguments.log.exists() else []
    for number in range(len(rows), arguments.campaigns):
        rows.append(campaign(arguments, job, number))
        with arguments.log.open("a") as log:
            log.write(json.dumps(rows[-1]) + "\n")
    claims, failed = 0, [row for row in rows if "error" in row]
    bad = bool(failed)
    for name in METRICS:
        found = [row[name] for row in rows if name in row]
        small = sum(metric["p"] is not None and metric["p"] < .05 for metric in found)
        of_it = sum(metric["verdict"] in ("regression", "improvement") for metric in found)
        claims += of_it
        bad = bad or len(found) < len(rows) or small > most_by_chance(len(found), .05)
        print(f"{name}: {small} of {len(found)} with a raw p < .05 (chance gives up to "
              f"{most_by_chance(len(found), .05)}), {of_it} claims")
    print(f"{len(rows)} campaigns, {len(failed)} failed, {claims} claims")
    return 1 if bad or claims > most_by_chance(len(rows), .05) else 0


if __name__ == "__main__":
    sys.exit(main())
