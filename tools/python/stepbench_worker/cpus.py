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
