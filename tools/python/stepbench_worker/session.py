# SPDX-License-Identifier: Apache-2.0
"""Whom a loop tells what it measured: `stepbench run`, or a result file of its own."""
from __future__ import annotations

from typing import TYPE_CHECKING

from .schedule import Schedule

if TYPE_CHECKING:
    from .loop import Loop
    from .profile import Wanted
    from .stopping import Stopping


class Session:
    """What a loop asks and tells. One a process."""

    schedule: Schedule | None = None  # None: as the call of measure() says
    stopping: Stopping | None = None  # None: after the schedule's cycles
    wanted: Wanted | None = None  # None: operations are not recorded
    timing: Schedule | None = None  # of the launches that are timed, where operations are recorded
    sync_each_step = False
    deadline_ns = 1 << 62  # no step begins later, on the monotonic clock
    results = "results"
    loop: Loop | None = None

    def stage(self, name: str, steps: int = 0, step_ns: int = 0) -> None:
        """The steps that follow are of this stage."""

    def window(self, begins: bool) -> None:
        """A window begins, or has ended."""

    def cycle(self, number: int, columns: dict[str, list[int]]) -> None:
        """A window has ended."""

    def finished(self, loop: Loop) -> None:
        """The schedule has ended."""


_current: Session | None = None


def use(told: Session) -> None:
    global _current
    _current = told


def current() -> Session:
    """Where nobody has said otherwise: a script that runs alone."""
    global _current
    if _current is None:
        from .alone import Alone
        _current = Alone()
    return _current
