#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a byte costs that is read over HTTP from loopback: CPU time of our reader beside that of the program `curl`, which
throws it away as well. In turns; of each the time for a file of one byte is taken off, so that starting is not counted.

    http_reading.py READ_REMOTE [ROUNDS]
"""
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "workloads"))
from shard_server import ShardServer

MOST = 1.10
BYTES = 256 << 20


def cpu_s(command):
    """User and system time of a program that must end well."""
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command[0]} ended with {status}")
    return used.ru_utime + used.ru_stime


def main():
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    served = ShardServer({"/large.tar": bytes(BYTES), "/small.tar": b"."})
    programs = {"ours": [sys.argv[1], "--no-digest"], "curl": ["curl", "--silent", "--fail", "--output", "/dev/null"]}
    ns_per_byte = {name: [] for name in programs}
    for turn in range(rounds + 1):
        for name in sorted(programs, reverse=turn % 2 == 1):
            large, small = (cpu_s([*programs[name], f"{served.url}/{size}.tar"]) for size in ("large", "small"))
            if turn > 0:
                ns_per_byte[name].append(1e9 * (large - small) / BYTES)
    served.close()
    ratios = sorted(ours / curl for ours, curl in zip(*(ns_per_byte[name] for name in ("ours", "curl"))))
    for name, values in ns_per_byte.items():
        print(f"{name}: {statistics.median(values):.3f} ns of CPU time per byte")
    ratio = statistics.median(ns_per_byte["ours"]) / statistics.median(ns_per_byte["curl"])
    quarter = len(ratios) // 4
    print(f"ours / curl: {ratio:.3f}; half of the pairs lie in [{ratios[quarter]:.3f}, {ratios[-1 - quarter]:.3f}]; at most {MOST}")
    if ratio > MOST:
        sys.exit("a byte costs more than it may")


if __name__ == "__main__":
    main()
