# SPDX-License-Identifier: Apache-2.0
"""Joins the JSON of several Google Benchmark programs, adds start-up times, and prints them next to an earlier run.

usage: summary.py --out FILE --parts DIR [--against FILE] [--start STEPBENCH --root DIR]
"""
import argparse
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

START_UP_LIMIT_MS = 50
START_UP_RUNS = 41


def start_up(stepbench, root):
    """Returns median and extremes of a whole process in ms; the commands alternate."""
    commands = {
        "start_up/help": [stepbench, "--help"],
        "start_up/plan": [stepbench, "plan", str(root / "configs/quickstart.yaml")],
    }
    times = {name: [] for name in commands}
    for _ in range(START_UP_RUNS):
        for name, command in commands.items():
            begin = time.perf_counter_ns()
            subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            times[name].append((time.perf_counter_ns() - begin) / 1e6)
    rows = []
    for name, command in commands.items():
        row = {"name": name, "real_time": statistics.median(times[name]), "time_unit": "ms",
               "min": min(times[name]), "max": max(times[name]), "limit": START_UP_LIMIT_MS}
        row["instructions"] = instructions(command, root)
        rows.append(row)
    return rows


def instructions(command, root):
    """Returns the instructions of a whole process by callgrind; None without valgrind."""
    if not shutil.which("valgrind"):
        return None
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
                         cwd=root, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", run.stderr)
    return int(found.group(1)) if found else None


def time_ns(row):
    return row["real_time"] * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[row["time_unit"]]


def shown(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def main():
    parser = argparse.ArgumentParser()
    for name in ("--out", "--parts", "--against", "--start", "--root"):
        parser.add_argument(name, type=pathlib.Path)
    given = parser.parse_args()

    rows, context = [], {}
    for part in sorted(given.parts.glob("*.json")):
        text = part.read_text()
        if not text.strip():
            continue  # nothing matched the filter
        document = json.loads(text)
        context = document["context"]
        rows += [row for row in document["benchmarks"] if row.get("run_type") != "aggregate" or row.get("aggregate_name") == "median"]
    if given.start:
        rows += start_up(str(given.start), given.root)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps({"context": context, "benchmarks": rows}, indent=1) + "\n")

    old = {}
    if given.against:
        old = {row["name"]: row for row in json.loads(given.against.read_text())["benchmarks"]}
    width = max([len(row["name"]) for row in rows], default=0)
    print()
    if old:
        print(f"{'':{width}}  {'before':>10}  {'now':>10}  change")
        for row in rows:
            before = old.get(row["name"])
            change = f"{time_ns(row) / time_ns(before) - 1:+.1%}" if before else "new"
            print(f"{row['name']:{width}}  {shown(time_ns(before)) if before else '':>10}  {shown(time_ns(row)):>10}  {change}")
        for name in old.keys() - {row["name"] for row in rows}:
            print(f"{name:{width}}  no longer measured")
    for row in rows:
        if "limit" in row:
            verdict = "within" if row["real_time"] <= row["limit"] else "ABOVE"
            count = f", {row['instructions'] / 1e6:.1f} M instructions" if row["instructions"] else ""
            print(f"{row['name']}: median {row['real_time']:.1f} ms of {START_UP_RUNS} runs "
                  f"({row['min']:.1f} to {row['max']:.1f}); {verdict} the limit of {row['limit']} ms{count}")
    print(f"numbers in {given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
