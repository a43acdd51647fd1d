# SPDX-License-Identifier: Apache-2.0
"""Selects the measured steps: cycles of wait, warmup and active, as in torch.profiler's schedule, and the position of
windows relative to epoch borders."""
from __future__ import annotations

import enum
from dataclasses import dataclass, replace


class Action(enum.Enum):
    NONE = 0
    WARMUP = 1
    ACTIVE = 2
    LAST_ACTIVE = 3


@dataclass(frozen=True)
class Schedule:
    """Counts of steps. `repeat`: number of cycles; 0: unlimited. `skip_first_wait` not 0: the first cycle has no wait
    steps."""

    wait: int = 1
    warmup: int = 10
    active: int = 50
    repeat: int = 1
    skip_first: int = 0
    skip_first_wait: int = 0

    def __post_init__(self) -> None:
        for name, least in (("wait", 0), ("warmup", 0), ("active", 1), ("repeat", 0), ("skip_first", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise ValueError(f"{name} must be a whole number of at least {least}, is {value!r}")

    @property
    def steps(self) -> int:
        """Steps of all cycles; if unlimited, of the first one."""
        without = self.wait if self.skip_first_wait else 0
        return self.skip_first + max(self.repeat, 1) * (self.wait + self.warmup + self.active) - without

    def action(self, step: int) -> Action:
        if step < self.skip_first:
            return Action.NONE
        step -= self.skip_first - (self.wait if self.skip_first_wait else 0)
        cycle = self.wait + self.warmup + self.active
        if 0 < self.repeat <= step // cycle or step % cycle < self.wait:
            return Action.NONE
        if step % cycle < self.wait + self.warmup:
            return Action.WARMUP
        return Action.LAST_ACTIVE if step % cycle == cycle - 1 else Action.ACTIVE

    def to_window(self, step: int) -> int | None:
        """If a cycle begins at this step, returns its steps before the window; else None."""
        if step < self.skip_first:
            return None
        step -= self.skip_first
        if self.skip_first_wait and step == 0:
            return self.warmup
        step += self.wait if self.skip_first_wait else 0
        return self.wait + self.warmup if step % (self.wait + self.warmup + self.active) == 0 else None


class Plan:
    """Decides what happens in each step of a launch. A window contains whole epochs or no epoch border at all: with a
    border only now and then, each window would measure something different. `per_epoch` 0: the length is unknown.
    `timing`: the schedule of the timed launches, whose last steps `schedule` records operations of."""

    def __init__(self, schedule: Schedule, per_epoch: int = 0, timing: Schedule | None = None) -> None:
        self.epochs = 0
        self.schedule = schedule
        self._per_epoch = per_epoch
        timed = timing or schedule
        if 0 < per_epoch <= timed.active + 2:
            epochs = -(-timed.active // per_epoch)
            self._per_epoch = 0
            if timing is None:
                self.epochs = epochs
                self.schedule = replace(schedule, active=epochs * per_epoch)
            elif schedule.skip_first > 0:
                more = max(timing.repeat, 1) * (epochs * per_epoch - timing.active)
                self.schedule = replace(schedule, skip_first=schedule.skip_first + more)
        self._inserted = 0
        self._cycle_from = 0
        self._cycle_at = 0

    @property
    def inside_an_epoch(self) -> int:
        """Steps of an epoch whose borders are outside of all windows; 0: windows contain them, or they are unknown."""
        return self._per_epoch

    def next(self, step: int, in_window: bool) -> tuple[Action, bool]:
        """Returns the action of a step, and whether a cycle begins with it."""
        begins = False
        if not in_window and step >= self._cycle_from:
            before = self.schedule.to_window(step - self._inserted)
            if before is not None:
                more = self._past_border(step + before)
                self._inserted += more
                self._cycle_from = step + more
                begins = more == 0
                self._cycle_at = step + more
        if not in_window and step < self._cycle_from:
            return Action.NONE, False
        return self.schedule.action(step - self._inserted), begins

    def begin_cycle_again(self, step: int) -> None:
        """Restarts the current cycle at this step."""
        self._inserted += step - self._cycle_at
        self._cycle_from = self._cycle_at = step

    def _past_border(self, begin: int) -> int:
        if self._per_epoch == 0:
            return 0
        place = begin % self._per_epoch
        if begin >= self._per_epoch and place == 0:
            return 1
        if place + self.schedule.active + 1 > self._per_epoch:
            return self._per_epoch - place + 1
        return 0
