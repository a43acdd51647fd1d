# SPDX-License-Identifier: Apache-2.0
"""Compares the CPUs that the process may use when its windows begin with those at its start: importing a library can
change them."""
from __future__ import annotations

import os
from typing import Any

AT_START = frozenset(os.sched_getaffinity(0))


class Cpus:
    def __init__(self, at_start: frozenset[int] = AT_START) -> None:
        self._at_start = at_start
        self._left = len(at_start)

    def look(self) -> None:
        self._left = min(self._left, len(self._at_start & os.sched_getaffinity(0)))

    def findings(self) -> list[dict[str, Any]]:
        had = len(self._at_start)
        if self._left == had:
            return []
        return [{
            "id": "script.cpus", "severity": "problem",
            "text": f"the training thread may use {self._left} of the {had} CPUs that the process had when it started: the "
                    "script, or what it imports, bound it",
            "value": self._left, "threshold": had, "unit": "CPUs", "evidence": ["step_ns", "data_wait_ns"],
            "remedy": "Workers and threads that it starts are bound alike: os.sched_setaffinity(0, range(os.cpu_count())) "
                      "behind the imports, or the library's own setting (OMP_PROC_BIND=false, KMP_AFFINITY=disabled)."}]


def crowded_threads(threads: int, cores: int) -> list[dict[str, Any]]:
    """For a step on the CPU: `threads` share each large operation."""
    if threads <= max(1, cores):
        return []
    return [{
        "id": "threads.oversubscribed", "severity": "warning",
        "text": f"{threads} threads share each operation, on {cores} core{'s' if cores > 1 else ''}: an operation ends when its "
                "last thread has had its turn",
        "value": threads, "threshold": cores, "unit": "threads", "evidence": ["forward_ns", "backward_ns"],
        "remedy": "No more threads than cores, and fewer where workers of a loader need some: torch.set_num_threads()."}]
