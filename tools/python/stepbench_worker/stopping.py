# SPDX-License-Identifier: Apache-2.0
"""Decides when a loop has measured enough: after a number of cycles, or when the mean step is precise enough
(schedule.active: auto). Same rule as in stepbench's own loop, harness/schedule/schedule.h."""
from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

LEAST_WINDOWS = 10  # of windows, and of joined windows
STUDENT_975 = {9: 2.262157163, 10: 2.228138852, 11: 2.200985160, 12: 2.178812830, 13: 2.160368656, 14: 2.144786688,
               15: 2.131449546, 16: 2.119905299, 17: 2.109815578, 18: 2.100922040}  # by degrees of freedom


@dataclass(frozen=True)
class Stopping:
    """`cycles`: minimum; without `automatic`, the exact number. `precision`: half-width of the interval over the
    mean."""

    cycles: int = 1
    automatic: bool = False
    precision: float = 0.01
    max_active: int = 10_000

    def reason(self, window_means: list[float], active: int) -> str | None:
        """Returns why the loop stops after these windows; None: it continues."""
        enough = len(window_means) >= self.cycles
        if not self.automatic:
            return "count" if enough else None
        if enough and self._precise_twice_running(window_means):
            return "precision"
        return "count" if active >= self.max_active else None

    def _precise_twice_running(self, window_means: list[float]) -> bool:
        """Requires two intervals in a row, since a single one may be narrow by chance; checks only when a joined window
        is complete."""
        windows = len(window_means)
        if windows <= LEAST_WINDOWS or windows % _joined(windows) != 0:
            return False
        return self._precise(window_means) and self._precise(window_means[:windows - _joined(windows - 1)])

    def _precise(self, window_means: list[float]) -> bool:
        interval = interval_of_windows(window_means)
        return interval is not None and (interval[1] - interval[0]) / 2 <= self.precision * statistics.fmean(window_means)


def interval_of_windows(window_means: list[float]) -> tuple[float, float] | None:
    """The 95 % interval of the mean of all windows, by Student's t on windows that are joined in pairs, pairs of pairs
    and so on until 10 to 19 remain; None below 10 windows."""
    if len(window_means) < LEAST_WINDOWS:
        return None
    length = _joined(len(window_means))
    means = [statistics.fmean(window_means[first:first + length])
             for first in range(0, len(window_means) - length + 1, length)]
    half = STUDENT_975[len(means) - 1] * statistics.stdev(means) / math.sqrt(len(means))
    centre = statistics.fmean(window_means)
    return centre - half, centre + half


def _joined(windows: int) -> int:
    """Returns the number of windows in a joined one."""
    length = 1
    while windows // (2 * length) >= LEAST_WINDOWS:
        length *= 2
    return length
