# SPDX-License-Identifier: Apache-2.0
"""measure(): hands out the loader's batches and times what the script does with each."""
from __future__ import annotations

import contextlib
import resource
import sys
from collections.abc import Callable, Iterable, Iterator
from time import monotonic_ns
from typing import Any, TypeVar

from . import phases, session
from .batch import samples_of
from .device import CudaWindow, cuda_of_script
from .schedule import Action, Plan, Schedule
from .window import EPOCH, FIRST_BATCH, PARTIAL, Step, columns_of

Batch = TypeVar("Batch")
SECOND_NS = 1_000_000_000


class LoopError(Exception):
    """The loop cannot be measured; the text says why."""


class Source:
    """The loader's batches, epoch after epoch."""

    def __init__(self, loader: Iterable[Any]) -> None:
        self._loader = loader
        self._iterator: Iterator[Any] | None = None
        self._delivered = 0

    def next(self) -> tuple[Any, int]:
        flags = 0
        if self._iterator is None:
            self._iterator = iter(self._loader)
            flags = EPOCH | FIRST_BATCH
        for batch in self._iterator:
            self._delivered += 1
            return batch, flags
        self._iterator = iter(self._loader)
        if self._iterator is self._loader:
            raise LoopError(f"the loader ended after {self._delivered} batches and cannot begin anew, being an iterator: "
                            "give measure() what it was made of, or measure fewer steps")
        for batch in self._iterator:
            self._delivered += 1
            return batch, EPOCH
        raise LoopError("the loader is empty: it has no batch" if self._delivered == 0 else
                        f"the loader had {self._delivered} batches and none in its next epoch")


class Loop:
    """One loop over a schedule. It may be left and entered again: the cycle under way then begins anew."""

    def __init__(self, schedule: Schedule, told: session.Session, sync_each_step: bool = False) -> None:
        self.plan: Plan | None = None
        self.cycles: list[dict[str, list[int]]] = []
        self.drained_ns = 0
        self.steps = 0
        self.truncated = False
        self.done = False
        self.device = "cpu"
        self.first_batch_ns = 0
        self.usage: dict[str, int] = dict.fromkeys(USAGE, 0)
        self.loss: Any = None
        self.gradient_norm: Any = None
        self._schedule = schedule
        self._told = told
        self._sync_each_step = sync_each_step
        self._times = phases.PhaseTimes()
        self._window: list[Step] | None = None
        self._events: CudaWindow | None = None
        self._largest = 0
        self._cycle_began_ns = 0
        self._cycle_steps = 0
        self._said_ns = 0
        self._mean_ns = 0

    @property
    def planned_steps(self) -> int:
        return self.plan.schedule.steps if self.plan is not None else self._schedule.steps

    def batches(self, loader: Iterable[Batch], samples: Callable[[Batch], int],
                tokens: Callable[[Batch], int] | None) -> Iterator[Batch]:
        if self.plan is None:
            self.plan = Plan(self._schedule, _length(loader))
        source = Source(loader)
        try:
            while self._begin_step():
                began_ns = self._began_ns
                batch, flags = source.next()
                waited_ns = monotonic_ns() - began_ns
                self._times.reset()
                phases.use(self._times)
                if self.steps == 0:
                    self.first_batch_ns = waited_ns
                yield batch
                count = samples(batch)
                if count < self._largest:
                    flags |= PARTIAL
                self._largest = max(self._largest, count)
                self._end_step(waited_ns, flags, count, tokens(batch) if tokens is not None else 0)
        except GeneratorExit:  # the script left the loop: what the window has is no whole window
            self._abandon()
            raise
        finally:
            phases.use(None)
            self._times.device = None
        self.done = True
        self._told.finished(self)

    def _begin_step(self) -> bool:
        if self._window is not None:
            return True
        action, cycle_begins = self.plan.next(self.steps, False)
        if len(self.cycles) == self.plan.schedule.repeat:
            return False
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
            self._events = CudaWindow(cuda)
        self._times.device = self._events
        self._window_began_ns = monotonic_ns()

    def _end_step(self, waited_ns: int, flags: int, samples: int, tokens: int) -> None:
        if self._sync_each_step:
            self._synchronize()
        if self._events is not None:
            self._events.end_step()
        now = monotonic_ns()
        index = self.steps
        self.steps += 1
        self._cycle_steps += 1
        if self._window is None:
            return
        self._window.append(Step(index, now - self._began_ns, waited_ns, self._times.spent, samples, tokens, flags))
        self._began_ns = now
        if now >= self._told.deadline_ns:
            self._abandon()
        elif len(self._window) == self.plan.schedule.active:
            self._end_window()

    def _end_window(self) -> None:
        steps, self._window = self._window, None
        for name, value in _usage().items():
            self.usage[name] += value - self._usage_before[name]
        self._synchronize()
        drained_ns = monotonic_ns() - self._window_began_ns
        device = self._events.columns() if self._events is not None else {}
        self._events = self._times.device = None
        columns = columns_of(steps, device)
        whole_ns = sum(columns.get("period_device_ns", ())) or drained_ns
        self.drained_ns += whole_ns
        self._mean_ns = whole_ns // len(steps)
        self._told.cycle(len(self.cycles), columns)
        self.cycles.append(columns)

    def _abandon(self) -> None:
        self._window = self._events = self._times.device = None
        self.plan.begin_cycle_again(self.steps)

    def _end_by_limit(self) -> None:
        if not self.cycles:
            raise LoopError(f"limits.wall_s ended the launch before its first cycle was finished, after {self.steps} of "
                            f"{self.planned_steps} steps; raise limits.wall_s, or lower schedule.active")
        self.truncated = True

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


def _length(loader: Iterable[Any]) -> int:
    """Steps of an epoch; 0: not known."""
    with contextlib.suppress(TypeError, NotImplementedError):
        return len(loader)  # type: ignore[arg-type]
    return 0


def _counter(value: Callable[[Batch], int] | int) -> Callable[[Batch], int]:
    return value if callable(value) else lambda _: value


def measure(loader: Iterable[Batch], *, wait: int = 1, warmup: int = 10, active: int = 50, repeat: int = 1,
            samples: Callable[[Batch], int] | int = samples_of, tokens: Callable[[Batch], int] | int | None = None,
            results: str = "results") -> Iterator[Batch]:
    """The batches of `loader`, epoch after epoch, until the schedule has ended; a step is all from one batch to the
    next. The time until the loader has a batch is the step's phase `data_wait`.

    wait, warmup, active, repeat: cycles of steps of which nothing is kept, of warm-up and measured ones. Under
    `stepbench run` the experiment's `schedule` section decides instead.
    samples, tokens: how many a batch has, or a function of the batch. Default: the first dimension of its first tensor.
    results: folder for the result file of a script that is run alone.
    """
    told = session.current()
    if told.loop is None:
        schedule = told.schedule or Schedule(wait, warmup, active, repeat)
        told.results = results
        told.loop = Loop(schedule, told, told.sync_each_step)
    if told.loop.done:
        print("stepbench_worker: the schedule has ended, and with it this script: a later loop would measure nothing",
              file=sys.stderr)
        raise SystemExit(0)
    return told.loop.batches(loader, _counter(samples), None if tokens is None else _counter(tokens))


def report(*, loss: Any = None, gradient_norm: Any = None) -> None:
    """Keeps the last step's loss, and the norm of its gradients: two runs that measure the same work agree in them.
    Takes numbers or tensors; a tensor is read after the last step, not before."""
    loop = session.current().loop
    if loop is None:
        return
    for name, value in (("loss", loss), ("gradient_norm", gradient_norm)):
        if value is not None:
            setattr(loop, name, value.detach() if hasattr(value, "detach") else value)
