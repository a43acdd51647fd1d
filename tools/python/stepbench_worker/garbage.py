# SPDX-License-Identifier: Apache-2.0
"""Python's collector of garbage: how long the script stands still for it, and what `script.gc` makes of it."""
from __future__ import annotations

import gc
import math
from time import monotonic_ns
from typing import Any

from .dataloader import percent

GARBAGE = ("gc_ns", "gc_collections")  # metrics, per step
# By what is done now: what to try next, and in the script's own words.
REMEDIES = {
    "default": ("freeze", "What the script has made so far need not be looked at each time: gc.freeze() before the loop. What "
                          "the loop makes and keeps still is."),
    "freeze": ("off", "gc.disable() before the loop, and a gc.collect() between epochs: until then memory stays that objects "
                      "hold in circles."),
    "off": ("", "The script calls gc.collect() itself, or has turned the collector on again: between epochs it costs no "
                "step."),
}
SHARE = 0.02  # of the step; what takes less, or may by chance have taken more, is not spoken of


class Collections:
    """Of all threads: each holds the interpreter's lock meanwhile. Counts from begin() to end()."""

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
    """Before the first step, when the script has made what it keeps."""
    if way == "freeze":
        gc.collect()
        gc.freeze()
    elif way == "off":
        gc.collect()
        gc.disable()


def surely(seen: float) -> float:
    """The part of `seen` events that is no chance: of a Poisson count the square root has a deviation of one half, so two
    of these below it (97.7 %)."""
    return max(0.0, math.sqrt(seen) - 1) ** 2 / seen if seen else 0.0


def findings(gc_ns: float, collections: float, step_ns: float, way: str, steps: int) -> list[dict[str, Any]]:
    """Of one of `steps` steps in the mean."""
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
