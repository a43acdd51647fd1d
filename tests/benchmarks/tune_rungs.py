#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches with rungs of other sizes than `tune` has: tune_rungs.py [--searches 1000]

Prints the table of results/tune/README.md that says what fewer launches cost: on its grids, and on surfaces as those of
tests/unit/tune/simulated.cpp whose short launches take .88 of a full one. Needs numpy."""
import argparse
import csv
import math
import pathlib

import numpy

GRIDS = pathlib.Path(__file__).resolve().parents[2] / "results" / "tune"
SWEEP = 6  # launches of every point
REGRET = .02
POINTS, SHORT, CV = 24, .88, .03  # of the made surfaces
# Whether the first rung has full launches, which count in the later ones; then the share that goes on and its rounds, and
# the rounds of the last two.
RUNGS = {"short, 1/4 x 2, 2 x 4 (`tune`)": (False, 4, 2, 4), "short, 1/5 x 2, 2 x 3": (False, 5, 2, 3),
         "short, 1/4 x 1, 2 x 4": (False, 4, 1, 4), "full, 1/6 x 2, 2 x 2": (True, 6, 2, 2)}


def middle(values):
    """That of Hodges and Lehmann, as `tune` has it; the mean of fewer than three."""
    first, second = numpy.triu_indices(len(values))
    return values.mean() if len(values) < 3 else numpy.median((values[first] + values[second]) / 2)


def scores(launches):
    beside = launches - launches.mean(axis=1, keepdims=True)
    return numpy.array([middle(beside[:, point]) for point in range(launches.shape[1])])


def read_grid(name):
    rows = list(csv.DictReader((GRIDS / f"{name}.csv").open(encoding="utf-8")))
    shape = (len({row["round"] for row in rows}), len({row["point"] for row in rows}))
    columns = []
    for column in ("step_ns", "short_step_ns", "wall_s", "short_wall_s"):
        columns.append(numpy.zeros(shape))
        for row in rows:
            columns[-1][int(row["round"]) % shape[0], int(row["point"])] = float(row[column])
    return numpy.log(columns[0]), numpy.log(columns[1]), columns[2], columns[3]


def as_measured(grid):
    half = (len(grid[0]) + 1) // 2
    truth = scores(grid[0][half:])
    return *(each[:half] for each in grid), truth - truth.min()


def with_cv(grid, cv):
    """As recorded_grid.cpp has it: what is left of launches without their point and round is scaled."""
    full, short, wall_s, short_wall_s = grid
    left = full - full.mean(axis=1, keepdims=True)
    left -= left.mean(axis=0)
    factor = cv / math.sqrt((left**2).sum() / ((full.shape[0] - 1) * (full.shape[1] - 1)))
    truth = scores(full)

    def scaled(steps):
        return steps + (factor - 1) * (steps - steps.mean(axis=1, keepdims=True) - scores(steps))

    return scaled(full), scaled(short), wall_s, short_wall_s, truth - truth.min()


def made(draw, heavy_tails):
    other, workers = 6, POINTS // 6
    batch, contention = draw.uniform(.5, 8), draw.uniform(0, .15)
    cores, disk = draw.uniform(2, 2 * workers), draw.uniform(0, 1.5)
    effects, values = draw.uniform(0, .12, other), []
    for count in range(1, workers + 1):
        loading = batch / min(count, cores) * (1 + contention * max(0, count - cores))
        step = max(1 + .02 * contention * count, loading, disk)
        values += [math.log(step * (1 + effect + draw.uniform(-.01, .01))) for effect in effects]
    truth, shape = numpy.array(values), (12, POINTS)
    drift = numpy.cumsum(draw.normal(0, .003, POINTS * shape[0])).reshape(shape)

    def noise():
        return draw.standard_t(3, shape) if heavy_tails else draw.normal(0, 1, shape)

    full = truth + drift + CV * noise()
    short = truth + drift + 1.2 * CV * noise() + .01 * draw.normal(0, 1, POINTS)
    # Most of a launch is its start.
    wall_s = numpy.tile(.85 + .15 * numpy.exp(truth) / numpy.median(numpy.exp(truth)), (shape[0], 1))
    return full, short, wall_s, wall_s * SHORT, truth - truth.min()


def search(grid, rungs, draw):
    """Of the winner its regret, and the share of the whole sweep's time."""
    full, short, wall_s, short_wall_s, truth = grid
    count_first, share, rounds, last_rounds = rungs
    drawn = draw.integers(len(full))
    first = full[drawn] if count_first else short[drawn]
    spent_s = (wall_s if count_first else short_wall_s)[drawn].sum()
    launches = [first] if count_first else []
    left = numpy.argsort(first, kind="stable")
    # `tune` rounds up.
    left = left[:max(-(-len(left) // share) if share == 4 and rounds == 2 else len(left) // share, 2)]
    for more in (rounds, last_rounds):
        for _ in range(more):
            drawn = draw.integers(len(full))
            launches.append(full[drawn])
            spent_s += wall_s[drawn][left].sum()
        left = left[numpy.argsort(scores(numpy.array(launches)[:, left]), kind="stable")][:2]
    return math.expm1(truth[left[0]]), spent_s / (SWEEP * wall_s.mean(axis=0).sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--searches", type=int, default=1000)
    searches = parser.parse_args().searches
    recorded = {"`python` 3 %": with_cv(read_grid("python"), CV), "`jpeg` as measured": as_measured(read_grid("jpeg")),
                "`cuda` as measured": as_measured(read_grid("cuda"))}
    grids = {name: lambda draw, grid=grid: grid for name, grid in recorded.items()}
    grids |= {"made": lambda draw: made(draw, False), "made, heavy tails": lambda draw: made(draw, True)}
    print(f"| first rung, then points x rounds | {' | '.join(grids)} |\n|---|{'---:|' * len(grids)}")
    for name, rungs in RUNGS.items():
        cells = []
        for grid in grids.values():
            draw = numpy.random.default_rng(1)
            found = numpy.array([search(grid(draw), rungs, draw) for _ in range(searches)])
            cells.append(f"{(found[:, 0] <= REGRET).mean() * 100:.0f}, {found[:, 1].mean() * 100:.0f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
