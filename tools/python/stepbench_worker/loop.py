# SPDX-License-Identifier: Apache-2.0
"""Hands out the loader's batches and times what the script does with each."""
from __future__ import annotations

import resource
from collections.abc import Callable, Iterable, Iterator
from time import monotonic_ns
from typing import Any, TypeVar

from . import phases
from .dataloader import LoaderWatch
from .device import CudaWindow, cuda_of_script
from .profile import OpRecorder, Wanted
from .schedule import Action, Plan, Schedule
from .source import LoopError, Source, epoch_length
from .stopping import Stopping
from .window import PARTIAL, Step, columns_of

Batch = TypeVar("Batch")
SECOND_NS = 1_000_000_000


class Session:
    """What a loop asks, and whom it tells what it measured: `stepbench run`, or a result file of its own. One a
    process."""

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


class Loop:
    """One loop over a schedule. It may be left and entered again: the cycle under way then begins anew."""

    def __init__(self, schedule: Schedule, told: Session, names: tuple[str, ...] = phases.NAMES) -> None:
        self.plan: Plan | None = None
        self.cycles: list[dict[str, list[int]]] = []
        self.window_means: list[float] = []
        self.drained_ns = 0
        self.steps = 0
        self.stopped = ""  # why: count, precision, wall_limit
        self.truncated = False
        self.done = False
        self.device = "cpu"
        self.first_batch_ns = 0
        self.usage: dict[str, int] = dict.fromkeys(USAGE, 0)
        self.loss: Any = None
        self.gradient_norm: Any = None
        self.times = phases.PhaseTimes(names)
        self.stopping = told.stopping or Stopping(schedule.repeat)
        self.watch: LoaderWatch | None = None
        self._source: Source | None = None
        self.recorder = OpRecorder(told.wanted, names) if told.wanted is not None else None
        self._schedule = schedule
        self._told = told
        self._window: list[Step] | None = None
        self._events: CudaWindow | None = None
        self._largest = 0
        self._cycle_began_ns = 0
        self._cycle_steps = 0
        self._said_ns = 0
        self._mean_ns = 0
        self._began_ns = 0
        self._waited_ns = 0
        self._flags = 0

    @property
    def planned_steps(self) -> int:
        return self.plan.schedule.steps if self.plan is not None else self._schedule.steps

    def batches(self, loader: Iterable[Batch], samples: Callable[[Batch], int],
                tokens: Callable[[Batch], int] | None) -> Iterator[Batch]:
        self.know_epoch(epoch_length(loader))
        source = self._source = Source(loader)
        self.watch = LoaderWatch(loader)
        try:
            while self.begin_step():
                self.begin_wait()
                batch, flags = source.next()
                self.fetched(flags)
                yield batch
                self.end_step(samples(batch), tokens(batch) if tokens is not None else 0)
        except GeneratorExit:  # the script left the loop
            self.leave()
            raise
        finally:
            phases.use(None)
        self.finish()

    def know_epoch(self, steps: int) -> None:
        """Before the first step; 0: the length of an epoch is not known."""
        if self.plan is None:
            self.plan = Plan(self._schedule, steps, self._told.timing)

    def begin_wait(self) -> None:
        if self._recording:
            self.recorder.begin_wait()

    def fetched(self, flags: int) -> None:
        """The step has its batch."""
        self._waited_ns = monotonic_ns() - self._began_ns
        if self._recording:
            self.recorder.end_phase()
        self._begin_phases(flags)
        if self.steps == 0:
            self.first_batch_ns = self._waited_ns

    def entered(self) -> None:
        """In place of fetched(), where the step itself gets its batches and says so by waited()."""
        self._waited_ns = 0
        self._begin_phases(0)

    def waited(self, wait_ns: int) -> None:
        """After begin_wait()."""
        self._waited_ns += wait_ns
        if self._recording:
            self.recorder.end_phase()

    def flag(self, flags: int) -> None:
        self._flags |= flags

    def _begin_phases(self, flags: int) -> None:
        self._flags = flags
        self.times.reset()
        phases.use(self.times)

    def finish(self) -> None:
        """The schedule has ended."""
        phases.use(None)
        self.done = True
        if self.recorder is not None:
            self._told.stage("tear_down")
            self.recorder.save()
        self._told.finished(self)

    def begin_step(self) -> bool:
        """False: no step is left."""
        if self._window is None and not self._begin_outside():
            return False
        if self._recording:
            self.recorder.begin_step(self.steps)
        return True

    @property
    def _recording(self) -> bool:
        return self.recorder is not None and self._window is not None

    def _begin_outside(self) -> bool:
        """The begin of a step that does not follow another one of its window."""
        if self.stopped:
            return False
        action, cycle_begins = self.plan.next(self.steps, False)
        if cycle_begins:
            self._synchronize()
            self._cycle_began_ns = monotonic_ns()
            self._cycle_steps = 0
        now = monotonic_ns()
        if now >= self._told.deadline_ns:
            self._end_by_limit()
            return False
        if action in (Action.ACTIVE, Action.LAST_ACTIVE):
            self._begin_window()
        elif self._cycle_steps == 0 or (self.device == "cpu" and now - self._said_ns >= SECOND_NS):
            self._said_ns = now
            self._told.stage("warmup", step_ns=self._step_ns())
        if action is Action.WARMUP and self.recorder is not None:
            self.recorder.prepare()
        self._began_ns = monotonic_ns()
        return True

    def _begin_window(self) -> None:
        cuda = cuda_of_script()
        if cuda is not None:
            self.device = f"cuda:{cuda.current_device()}"
        self._told.stage("active", steps=self.plan.schedule.active, step_ns=self._step_ns())
        self._window = []
        self._usage_before = _usage()
        if cuda is not None:
            cuda.reset_peak_memory_stats()
        if self.recorder is not None:
            self._synchronize()
            self.recorder.begin()
            self.times.listener = self.recorder
        elif cuda is not None:
            self._events = self.times.listener = CudaWindow(cuda, self.times.names)
        self._told.window(True)
        if self.watch is not None:
            self.watch.begin(self._source.iterator)
        self._window_began_ns = monotonic_ns()

    def end_step(self, samples: int, tokens: int, size_bytes: int = 0) -> None:
        """The next one begins with it."""
        if samples < self._largest:
            self._flags |= PARTIAL
        self._largest = max(self._largest, samples)
        if self._told.sync_each_step:
            self._synchronize()
        if self._events is not None:
            self._events.end_step()
        if self._recording:
            self.recorder.end_step()
        now = monotonic_ns()
        index = self.steps
        self.steps += 1
        self._cycle_steps += 1
        if self._window is None:
            return
        self._window.append(Step(index, now - self._began_ns, self._waited_ns, self.times.spent, samples, tokens,
                                 self._flags, size_bytes))
        self._began_ns = now
        if now >= self._told.deadline_ns:
            self.leave()
        elif len(self._window) == self.plan.schedule.active:
            self._end_window()

    def _end_window(self) -> None:
        steps, self._window = self._window, None
        for name, value in _usage().items():
            self.usage[name] += value - self._usage_before[name]
        self._synchronize()
        drained_ns = monotonic_ns() - self._window_began_ns
        if self.watch is not None:
            self.watch.end(self._source.iterator, drained_ns, sum(step.data_wait_ns for step in steps))
        self._told.window(False)
        if self.recorder is not None:
            self.recorder.end()
        device = self._events.columns() if self._events is not None else {}
        self._events = self.times.listener = None
        columns = columns_of(steps, self.times.names, device)
        whole_ns = sum(columns.get("period_device_ns", ())) or drained_ns
        self.drained_ns += whole_ns
        self._mean_ns = whole_ns // len(steps)
        self.window_means.append(whole_ns / len(steps))
        self._told.cycle(len(self.cycles), columns)
        self.cycles.append(columns)
        self.stopped = self.stopping.reason(self.window_means, len(self.cycles) * len(steps)) or ""

    def leave(self) -> None:
        """What the window has is no whole window: its cycle begins anew with the next step."""
        if self._recording:
            self.recorder.leave()
        if self._window is not None:
            self._told.window(False)
        self._window = self._events = self.times.listener = None
        self.plan.begin_cycle_again(self.steps)

    def _end_by_limit(self) -> None:
        if not self.cycles:
            raise LoopError(f"limits.wall_s ended the launch before its first cycle was finished, after {self.steps} of "
                            f"{self.planned_steps} steps; raise limits.wall_s, or lower schedule.active")
        self.truncated = True
        self.stopped = "wall_limit"

    def _synchronize(self) -> None:
        cuda = cuda_of_script()
        if cuda is not None:
            cuda.synchronize()

    def _step_ns(self) -> int:
        """Per step so far with all that a device did for it; 0: not known."""
        known = (monotonic_ns() - self._cycle_began_ns) // self._cycle_steps if self._cycle_steps else 0
        return max(known if self.device == "cpu" and cuda_of_script() is None else 0, self._mean_ns)


USAGE = ("cpu_user_ns", "cpu_system_ns", "minor_faults", "major_faults", "voluntary_switches", "involuntary_switches")


def _usage() -> dict[str, int]:
    now = resource.getrusage(resource.RUSAGE_SELF)
    return dict(zip(USAGE, (round(now.ru_utime * 1e9), round(now.ru_stime * 1e9), now.ru_minflt, now.ru_majflt,
                            now.ru_nvcsw, now.ru_nivcsw)))
