# SPDX-License-Identifier: Apache-2.0
"""Python's garbage collector: how long it stops the script, and the effect of `script.gc`."""
from __future__ import annotations

import gc
import math
from time import monotonic_ns
from typing import Any

from .dataloader import percent

GARBAGE = ("gc_ns", "gc_collections")  # metrics, per step
# By the current setting: the next setting to try, and the same as a change of the script.
REMEDIES = {
    "default": ("freeze", "What the script has made so far need not be looked at each time: gc.freeze() before the loop. What "
                          "the loop makes and keeps still is."),
    "freeze": ("off", "gc.disable() before the loop, and a gc.collect() between epochs: until then memory stays that objects "
                      "hold in circles."),
    "off": ("", "The script calls gc.collect() itself, or has turned the collector on again: between epochs it costs no "
                "step."),
}
SHARE = 0.02  # of the step; below it, or if chance may explain more, there is no finding


class Collections:
    """Collections in all threads: each one holds the GIL meanwhile. Counts from begin() to end()."""

    def __init__(self) -> None:
        self.count = 0
        self.ns = 0
        self._began_ns = 0

    def begin(self) -> None:
        gc.callbacks.append(self._collects)

    def end(self) -> None:
        if self._collects in gc.callbacks:
            gc.callbacks.remove(self._collects)

    def _collects(self, phase: str, info: dict[str, int]) -> None:
        now = monotonic_ns()
        if phase == "start":
            self._began_ns = now
        elif self._began_ns:
            self.count += 1
            self.ns += now - self._began_ns
            self._began_ns = 0


def apply(way: str) -> None:
    """Call before the first step, after the script has created its long-lived objects."""
    if way == "freeze":
        gc.collect()
        gc.freeze()
    elif way == "off":
        gc.collect()
        gc.disable()


def surely(seen: float) -> float:
    """Returns the share of `seen` events that is not chance: the square root of a Poisson count has a standard
    deviation of one half, so this uses two of these below it (97.7 %)."""
    return max(0.0, math.sqrt(seen) - 1) ** 2 / seen if seen else 0.0


def findings(gc_ns: float, collections: float, step_ns: float, way: str, steps: int) -> list[dict[str, Any]]:
    """gc_ns and collections: per step, the mean over `steps` steps."""
    if step_ns <= 0 or gc_ns * surely(collections * steps) < SHARE * step_ns:
        return []
    share = gc_ns / step_ns
    tried, remedy = REMEDIES[way]
    found: dict[str, Any] = {
        "id": "script.gc", "severity": "problem" if share >= 0.25 else "warning",
        "text": f"Python's garbage collector takes {percent(share)} of the step: {collections:.3g} collections, "
                f"{gc_ns / 1e6:.3g} ms",
        "value": share, "threshold": SHARE, "unit": "ratio", "share": share,
        "evidence": ["gc_ns", "gc_collections"], "remedy": remedy}
    if tried:
        found["set"] = [{"option": "script.gc", "value": tried}]
    return [found]
