#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Change points of made-up years of nights, by our code and by Apache Otava's own (pip install apache-otava==0.8.0).

usage: against_otava.py JUDGE_NIGHTS [--series N] [--nights N]

Both get the same series with Otava's defaults, and take turns series by series, so that a busy machine slows both.
Ends with 1 where an answer differs. A series has steps of up to 5 % and noise of 1 %, sometimes with a spike.
"""
import argparse
import random
import statistics
import subprocess
import sys
import time


def nights_of(seed, nights):
    draw = random.Random(seed)
    level, values = 1000.0, []
    for _ in range(nights):
        if draw.random() < 0.02:
            level *= 1 + draw.uniform(-0.05, 0.05)
        spike = draw.expovariate(20) if draw.random() < 0.02 else 0
        values.append(level * (1 + spike + draw.gauss(0, 0.01)))
    return values


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--series", type=int, default=40)
    parser.add_argument("--nights", type=int, default=365)
    arguments = parser.parse_args()
    try:
        from otava.analysis import compute_change_points
    except ImportError as error:
        sys.exit(f"{error}: pip install apache-otava==0.8.0")
    ours = subprocess.Popen([arguments.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    ratios, own_ns, points, different = [], [], 0, 0
    for seed in range(arguments.series):
        values = nights_of(seed, arguments.nights)
        print("otava", *map(repr, values), file=ours.stdin, flush=True)
        took, *indexes = map(int, ours.stdout.readline().split())
        began = time.perf_counter_ns()
        theirs, _ = compute_change_points(values, window_len=50, max_pvalue=0.001, min_magnitude=0.0)
        their_ns = time.perf_counter_ns() - began
        expected = [point.index for point in theirs]
        if expected != indexes:
            different += 1
            print(f"series {seed}: Otava {expected}, ours {indexes}")
        points += len(indexes)
        own_ns.append(took)
        ratios.append(their_ns / took)
    ours.stdin.close()
    ours.wait()
    quartiles = statistics.quantiles(ratios, n=4)
    print(f"{arguments.series} series of {arguments.nights} nights, {points} change points, {different} answers differ")
    print(f"ours {statistics.median(own_ns) / 1e6:.3f} ms a series; Otava takes {quartiles[1]:.0f} times as long "
          f"(quartiles {quartiles[0]:.0f} and {quartiles[2]:.0f})")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
