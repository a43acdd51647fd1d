#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nights of one and the same worker: how often does the screen fire, and does a confirmation ever reproduce that?

    aa_nights.py STEPBENCH JUDGE_NIGHTS LOG [--nights 135] [--worker PATH] [--work DIR]

A night is a run of four small cases, three launches each, one after the other without a pause; of each case its step and
its peak memory are a series. What fires is measured again at once, 20 pairs in ABBA order, as `track check` would, but
the program is the same in both arms. LOG gets a line per night and one per confirmation, whatever came out, and is gone
on with where it ends. Ends with 1 if anything was reproduced.
"""
import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys

from campaigns import lines, run, window_mean

CONFIG = """
name: aa-nights
workload: train_step
device: cpu
launches: 3
schedule: {wait: 0, warmup: 3, active: 30}
data: {kind: synthetic, features: 64, classes: 10, samples: 1024}
loader: {engine: inline, num_workers: 0}
model: {kind: mlp, layers: 2}
threads: {intra_op: 1}
sweep:
  matrix:
    loader.batch_size: [16, 64]
    model.hidden: [128, 384]
"""
METRICS = {"step_ns": lambda launch, columns: window_mean(columns),
           "peak_rss_bytes": lambda launch, columns: launch["metrics"]["peak_rss_bytes"]}


def launch_values(folder, metric):
    """{(case, arm): [value of each launch, in order]}"""
    launches, samples = lines(folder)
    values = {}
    for key, launch in sorted(launches, key=lambda each: each[0][3]):
        if launch["outcome"] == "measured":
            values.setdefault(key[:2], []).append(METRICS[metric](launch, samples[key]))
    return values


class Judge:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        print(*words, file=self.process.stdin, flush=True)
        return self.process.stdout.readline().split()


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepbench", type=pathlib.Path)
    parser.add_argument("judge", type=pathlib.Path)
    parser.add_argument("log", type=pathlib.Path)
    parser.add_argument("--nights", type=int, default=135)
    parser.add_argument("--worker", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/aa/nights"))
    arguments = parser.parse_args()
    arguments.log.parent.mkdir(parents=True, exist_ok=True)
    worker = ["--worker", arguments.worker] if arguments.worker else []
    arms = ["--a", arguments.worker, "--b", arguments.worker] if arguments.worker else []
    judge = Judge(arguments.judge.resolve())
    rows = [json.loads(line) for line in arguments.log.read_text().splitlines()] if arguments.log.exists() else []

    def record(row):
        rows.append(row)
        with arguments.log.open("a") as log:
            log.write(json.dumps(row) + "\n")

    def series():
        """{(case, metric): its nights so far}"""
        found = {}
        for row in rows:
            for case, values in row.get("values", {}).items():
                for metric, value in values.items():
                    found.setdefault((case, metric), []).append(value)
        return found

    def measure(night):
        load = os.getloadavg()[0]
        _, folder = run(arguments.stepbench, CONFIG, arguments.work / "runs", "run", *worker)
        values = {}
        for metric in METRICS:
            for (case, _), launches in launch_values(folder, metric).items():
                values.setdefault(case, {})[metric] = statistics.median(launches)
        record({"kind": "night", "night": night, "started_utc": now(), "load_1min": [load, os.getloadavg()[0]],
                "values": values})

    def confirm(night, case, metric, way, good):
        _, folder = run(arguments.stepbench, CONFIG, arguments.work / "confirm", "ab", "--pairs", "20",
                        "--seed", str(night), "--case", case, *arms)
        values = launch_values(folder, metric)
        pairs = min(len(values[case, "a"]), len(values[case, "b"]))
        a, b = values[case, "a"][:pairs], values[case, "b"][:pairs]
        reproduced, change, low, high, p = judge.ask("confirm", way, *a, *b)
        record({"kind": "confirmation", "night": night, "case": case, "metric": metric, "suspected": way, "last_good": good,
                "reproduced": reproduced == "1", "change": float(change), "low": float(low), "high": float(high),
                "p": float(p), "a": a, "b": b})

    for night in range(sum(row["kind"] == "night" for row in rows), arguments.nights):
        measure(night)
        for (case, metric), values in series().items():
            way, _, good = judge.ask("screen", *values)
            if way in ("higher", "lower"):
                confirm(night, case, metric, way, int(good))
    confirmations = [row for row in rows if row["kind"] == "confirmation"]
    screened = sum(max(0, len(values) - 10) for values in series().values())
    reproduced = sum(row["reproduced"] for row in confirmations)
    print(f"{screened} nights of a series screened, {len(confirmations)} fired, {reproduced} reproduced")
    return 1 if reproduced else 0


if __name__ == "__main__":
    sys.exit(main())
