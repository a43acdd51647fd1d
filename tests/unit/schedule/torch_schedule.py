# SPDX-License-Identifier: Apache-2.0
"""Prints torch.profiler.schedule over a grid of arguments: six arguments and the actions of the first steps."""
import itertools
import warnings

from torch.profiler import ProfilerAction, schedule

STEPS = 45
LETTERS = {
    ProfilerAction.NONE: "N",
    ProfilerAction.WARMUP: "W",
    ProfilerAction.RECORD: "R",
    ProfilerAction.RECORD_AND_SAVE: "S",
}

warnings.simplefilter("ignore")
for wait, warmup, active, repeat, skip_first, skip_first_wait in itertools.product(
    (0, 1, 3), (0, 1, 4), (1, 2, 5), (0, 1, 2, 3), (0, 1, 6), (0, 1)
):
    action_at = schedule(
        wait=wait,
        warmup=warmup,
        active=active,
        repeat=repeat,
        skip_first=skip_first,
        skip_first_wait=skip_first_wait,
    )
    letters = "".join(LETTERS[action_at(step)] for step in range(STEPS))
    print(wait, warmup, active, repeat, skip_first, skip_first_wait, letters)
