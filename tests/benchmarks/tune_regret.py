#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches replayed on the grids of results/tune: tune_regret.py REPLAY_GRIDS [--searches 1000] [GRID.csv ...]

Prints the tables of results/tune/README.md: of each search how many of 100 end within 2 % of the best point, and its mean
regret in %. REPLAY_GRIDS is the program of replay_grids.cpp, which replays `tune`, random
search, plain halving and the whole sweep; Optuna's TPE has the same budget on the same values, and is left out where
Optuna is not installed. The second table says how near `step = max(s, c / workers)` comes, s and c from one worker."""
import argparse
import csv
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys

GRIDS = pathlib.Path(__file__).resolve().parents[2] / "results" / "tune"
SWEEP = 6  # launches of every point
REGRET = 0.02
NAMES = {"tune": "`tune`", "random": "random search", "halving": "plain halving", "tpe": "Optuna's TPE",
         "sweep": "the whole sweep"}
# Cores per grid, and the option for the number of workers.
CORES = {"jpeg": 4, "python": 2, "tokens": 2, "cuda": 2}


class Replay:
    """Draws a recorded round for each group of launches as large as the grid, as for the other searches."""

    def __init__(self, grid, draw):
        self.steps = [each["values"] for each in grid["steps"]]
        self.walls = [each["values"] for each in grid["wall_s"]]
        self.draw = draw
        self.sweep_s = SWEEP * sum(map(sum, self.walls)) / len(self.walls)
        self.spent_s, self.launches = 0, 0

    def launch(self, point):
        if self.launches % len(self.steps[0]) == 0:
            self.round = self.draw.randrange(len(self.steps))
        self.launches += 1
        self.spent_s += self.walls[self.round][point]
        return self.steps[self.round][point]


def tpe(grid, budget, seed):
    """TPE with its defaults, on the values of each option; the best launch wins, as in study.best_params."""
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    points = grid["points"]
    options = {name: sorted({point[name] for point in points}) for name in points[0]}
    replay = Replay(grid, random.Random(seed))
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    best = (math.inf, 0)
    while True:
        trial = study.ask()
        asked = {name: trial.suggest_categorical(name, values) for name, values in options.items() if len(values) > 1}
        workers = next((name for name in asked if name.endswith("num_workers")), None)
        # Without workers there is no other choice.
        alike = [place for place, point in enumerate(points)
                 if all(point[name] == value for name, value in asked.items())
                 or workers and asked[workers] == point[workers] == "0"]
        if not alike:  # an invalid combination, such as an engine without its transport
            study.tell(trial, state=optuna.trial.TrialState.PRUNED)
            continue
        point = alike[0]
        if (replay.spent_s + max(walls[point] for walls in replay.walls)) / replay.sweep_s > budget:
            break
        value = replay.launch(point)
        study.tell(trial, value)
        best = min(best, (value, point))
    return math.expm1(grid["truth"][best[1]])


def tpe_row(grid, budget, searches):
    regrets = [tpe(grid, budget, seed) for seed in range(1, searches + 1)]
    return {"good": sum(regret <= REGRET for regret in regrets) / searches, "mean": statistics.mean(regrets)}


def print_searches(grids, searches):
    print("| grid | a launch varies by | cost, % | " + " | ".join(NAMES.values()) + " |\n|---|---|---:|"
          + "---:|" * len(NAMES))
    for grid in grids:
        rows = grid["searches"]
        if searches:
            rows["tpe"] = tpe_row(grid, rows["tune"]["cost"], searches)
        varies = f"{grid['cv'] * 100:.1f} %, as measured" if grid["as_measured"] else f"{grid['cv'] * 100:.0f} %"
        cells = [f"{rows[name]['good'] * 100:.1f}, {rows[name]['mean'] * 100:.2f}" if name in rows else "" for name in NAMES]
        print(f"| {grid['grid']} | {varies} | {rows['tune']['cost'] * 100:.1f} | {' | '.join(cells)} |", flush=True)


def print_model(files):
    print("\n| grid | workers | of their settings, predicted within 5 % | median error, % | largest error, % |\n"
          "|---|---:|---:|---:|---:|")
    for file in files:
        rows = list(csv.DictReader(file.open(encoding="utf-8")))
        options = list(rows[0])[1:list(rows[0]).index("round")]
        workers = next(name for name in options if name.endswith("num_workers"))
        settings = {}
        for row in rows:
            others = tuple(row[name] for name in options if name != workers)
            settings.setdefault(others, {}).setdefault(int(row[workers]), []).append(row)
        errors = {}
        for by_workers in settings.values():
            if 1 not in by_workers:
                continue

            def median(count, column):
                return statistics.median(int(row[column]) for row in by_workers[count])

            step = median(1, "step_ns")
            alone = step - median(1, "wait_ns")
            batch = median(1, "worker_ns") or step  # without a reported time, the wait is for the one worker
            for count in sorted(by_workers):
                if count > 1:
                    predicted = max(alone, batch / min(count, CORES[file.stem]))
                    errors.setdefault(count, []).append(predicted / median(count, "step_ns") - 1)
        for count, each in sorted(errors.items()):
            print(f"| {file.stem} | {count} | {sum(abs(error) <= .05 for error in each)} of {len(each)} | "
                  f"{statistics.median(each) * 100:+.1f} | {max(each, key=abs) * 100:+.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("replay_grids")
    parser.add_argument("grids", nargs="*", type=pathlib.Path, default=sorted(GRIDS.glob("*.csv")))
    parser.add_argument("--searches", type=int, default=1000, help="of Optuna's TPE; it takes a quarter of an hour")
    options = parser.parse_args()
    try:
        import optuna  # noqa: F401
    except ImportError:
        print("Optuna is not installed: its row is left out", file=sys.stderr)
        options.searches = 0
    done = subprocess.run([options.replay_grids, *options.grids], check=True, capture_output=True, text=True)
    print_searches([json.loads(line) for line in done.stdout.splitlines()], options.searches)
    print_model(options.grids)


if __name__ == "__main__":
    main()
