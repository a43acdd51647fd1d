# SPDX-License-Identifier: Apache-2.0
"""Yields the loader's batches and times what the script does with each."""
from __future__ import annotations

import resource
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from time import monotonic_ns
from typing import Any, TypeVar

from . import loop_guard, phases
from .batch import SampleCounter
from .costly_settings import AnomalyMode
from .cpus import Cpus
from .dataloader import LoaderWatch
from .device import CudaWindow, cuda_of_script
from .garbage import GARBAGE, Collections
from .held_memory import HeldMemory
from .profile import OpRecorder, Wanted
from .schedule import Action, Plan, Schedule
from .source import LoopError, Source, epoch_length
from .stopping import Stopping
from .window import EPOCH, FIRST_BATCH, PARTIAL, Step, columns_of

Batch = TypeVar("Batch")
SECOND_NS = 1_000_000_000


class Session:
    """The interface of a loop to its surroundings: its settings, and where it reports: `stepbench run`, or its own
    result file. One per process."""

    schedule: Schedule | None = None  # None: as in the call of measure()
    stopping: Stopping | None = None  # None: stop after the schedule's cycles
    wanted: Wanted | None = None  # None: do not record operations
    timing: Schedule | None = None  # schedule of the timed launches, if operations are recorded
    sync_each_step = False
    deadline_ns = 1 << 62  # no step begins later; monotonic clock
    results: str | None = "results"  # folder for result files; None: no files
    wanted_loop = ""  # name of the loop to measure; "": the first
    gc = "default"  # setting of Python's garbage collector, see garbage.py
    continues_after_schedule = False  # a loop continues after its schedule, as it does without measure()
    loop: Loop | None = None

    def __init__(self) -> None:
        self.others: list[str] = []  # names of loops that were not measured

    @property
    def over(self) -> bool:
        """True if nothing more is measured in this process."""
        return self.loop is not None and self.loop.done

    def end_script_where_over(self) -> None:
        if self.over:
            print("stepbench_worker: the schedule has ended, and the script with it", file=sys.stderr)
            raise SystemExit(0)

    def open(self, schedule: Schedule, name: str, results: str | None) -> Loop | None:
        """Returns the loop of this name, which may have been left before; None: another loop is measured here."""
        if self.loop is None and self.wanted_loop in ("", name):
            self.results = results
            self.loop = Loop(self.schedule or schedule, self)
            self.loop.name = name
        if self.loop is not None and self.loop.name == name:
            return self.loop
        if name not in self.others:
            self.others.append(name)
        return None

    def most_steps(self, schedule: Schedule) -> int:
        """Limit of steps for a loop that is not measured here."""
        return (self.schedule or schedule).steps

    def stage(self, name: str, steps: int = 0, step_ns: int = 0) -> None:
        """Called when a stage begins."""

    def window(self, begins: bool) -> None:
        """Called when a window begins and when it has ended."""

    def cycle(self, number: int, columns: dict[str, list[int]]) -> None:
        """Called with the data of each finished window."""

    def finished(self, loop: Loop) -> None:
        """The schedule has ended."""

    def left(self, loop: Loop) -> None:
        """Called when the script has left the loop, or the loader's last batch has been yielded."""


class Loop:
    """One loop over a schedule. It may be left and entered again: the current cycle then restarts."""

    def __init__(self, schedule: Schedule, told: Session, names: Sequence[str] | None = None) -> None:
        self._plan: Plan | None = None
        self.cycles: list[dict[str, list[int]]] = []
        self.window_means: list[float] = []
        self.drained_ns = 0
        self.steps = 0
        self.stopped = ""  # why: count, precision, wall_limit
        self.truncated = False
        self.done = False
        self.device = "cpu"
        self.first_batch_ns = 0
        self.usage: dict[str, int] = dict.fromkeys((*USAGE, *GARBAGE), 0)
        self.peaks: dict[str, int] | None = {}  # of the device's memory in windows; None: unknown
        self.loss: Any = None
        self.gradient_norm: Any = None
        self.times = phases.PhaseTimes() if names is None else phases.PhaseTimes(names)
        self.counter: SampleCounter | None = None
        self.name = ""
        self.title = ""  # title of its table
        self.why = ""  # why nothing, or not everything, was measured
        self.stopping = told.stopping or Stopping(schedule.repeat)
        self.watch: LoaderWatch | None = None
        self._source: Source | None = None
        self.recorder = OpRecorder(told.wanted, self.times.names) if told.wanted is not None else None
        self._schedule = schedule
        self._told = told
        self._window: list[tuple[Any, ...]] | None = None  # fields of Step
        self._events: CudaWindow | None = None
        self._usage_before: dict[str, int] = {}
        self._garbage = Collections()
        self.anomalies = AnomalyMode()
        self.cpus = Cpus()
        self.memory = HeldMemory()
        self._window_began_ns = 0
        self._largest = 0
        self._cycle_began_ns = 0
        self._cycle_steps = 0
        self._said_ns = 0
        self._mean_ns = 0
        self._began_ns = 0
        self._first_step_ns = 0  # when the window's first step began; 0: the window had a pause
        self._waited_ns = 0
        self._flags = 0
        self._limit_ns = told.deadline_ns
        self._paused_at = 0
        self._disowned: LoopError | bool = False

    @property
    def plan(self) -> Plan:
        """Valid after know_epoch()."""
        assert self._plan is not None
        return self._plan

    @property
    def samples_unknown(self) -> str:
        """The reason for a missing rate; empty: there is a rate."""
        return self.counter.why if self.counter is not None else ""

    @property
    def planned_steps(self) -> int:
        return self._plan.schedule.steps if self._plan is not None else self._schedule.steps

    def batches(self, loader: Iterable[Batch], samples: Callable[[Batch], int],
                tokens: Callable[[Batch], int] | None) -> Iterator[Batch]:
        self.know_epoch(epoch_length(loader))
        self.counter = samples if isinstance(samples, SampleCounter) else None
        watch = self.watch = LoaderWatch(loader)
        begin = iter if self.counter is None else self.counter.begin
        source = self._source = Source(loader, lambda again: watch.handover.begin_epoch(again, begin))
        loop_guard.begin(self)
        self.times.of_this_thread()
        thread = threading.get_ident()
        try:
            while self.begin_step():
                self.begin_wait()
                batch, flags = source.next()
                self.fetched(flags)
                if self._window is None:
                    watch.observe(batch, bool(flags & EPOCH))
                yield batch
                if self._disowned or threading.get_ident() != thread:
                    break
                self.end_step(samples(batch), tokens(batch) if tokens is not None else 0)
                window, iterator = self._plain_window, source.iterator
                if window is None or iterator is None:
                    continue
                # Inlined version of the above: overhead here slows the script down.
                times, names = self.times, self.times.names
                began, largest, before = self._began_ns, self._largest, len(window)
                try:
                    for batch in islice(iterator, self.plan.schedule.active - before - 1):
                        waited = monotonic_ns() - began
                        times.spent = [0] * len(names)
                        yield batch
                        count = samples(batch)
                        flags = 0 if count >= largest else PARTIAL
                        if count > largest:
                            largest = count
                        more = tokens(batch) if tokens is not None else 0
                        now = monotonic_ns()
                        window.append((0, now - began, waited, times.spent, count, more, flags, 0))
                        began = now
                        if now >= self._limit_ns or threading.get_ident() != thread:
                            break
                finally:
                    source.took(len(window) - before)
                    self.steps += len(window) - before
                    self._began_ns, self._largest = began, largest
                if self._disowned or threading.get_ident() != thread:
                    break
                if began >= self._limit_ns:
                    self.leave()
            if self._disowned is True:
                yield from source.rest()
                return
            if self._disowned:
                raise self._disowned
            if threading.get_ident() != thread:
                raise LoopError("the batches of one measure() were taken by two threads: one thread runs a measured loop")
            self.finish()
            if self._told.continues_after_schedule:
                yield from source.rest()
        except LoopError as error:
            self.why = str(error)
            if not self._told.continues_after_schedule or self._disowned or threading.get_ident() != thread:
                raise
        except GeneratorExit:
            self.why = "the script left the loop"
            raise
        except BaseException as error:  # raised by the loader
            self.why = f"{type(error).__name__} ended the loop"
            raise
        finally:
            loop_guard.end(self)
            if not self._disowned:
                phases.use(None)
                if not self.done:
                    self.leave()
                self._told.left(self)

    @property
    def _plain_window(self) -> list[tuple[Any, ...]] | None:
        """The current window, if it reads only the host's clock."""
        plain = self._events is None and self.recorder is None and not self._told.sync_each_step
        return self._window if plain else None

    @property
    def _iterator(self) -> Iterator[Any] | None:
        return self._source.iterator if self._source is not None else None

    def disown(self, why: LoopError | bool) -> None:
        """Makes its next step raise `why`; with True, as in a process forked inside the loop, it yields the rest of the
        loader's batches and reports nothing."""
        self._disowned = why
        self._limit_ns = 0
        phases.use(None)

    def know_epoch(self, steps: int) -> None:
        """Call before the first step; 0: the length of an epoch is unknown."""
        if self._plan is None:
            self._plan = Plan(self._schedule, steps, self._told.timing)

    def begin_wait(self) -> None:
        if (recorder := self._recording) is not None:
            recorder.begin_wait()

    def fetched(self, flags: int) -> None:
        """Call when the step has its batch."""
        self._waited_ns = monotonic_ns() - self._began_ns
        if (recorder := self._recording) is not None:
            recorder.end_phase()
        self._begin_phases(flags)
        if self.steps == 0:
            self.first_batch_ns = self._waited_ns

    def entered(self) -> None:
        """Replaces fetched() if the step gets its batches itself and reports them by waited()."""
        self._waited_ns = 0
        self._begin_phases(0)

    def waited(self, wait_ns: int) -> None:
        """Call after begin_wait()."""
        self._waited_ns += wait_ns
        if (recorder := self._recording) is not None:
            recorder.end_phase()

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
        """Returns False if no step is left."""
        if self._window is None and not self._begin_outside():
            return False
        if (recorder := self._recording) is not None:
            recorder.begin_step(self.steps)
        return True

    @property
    def _recording(self) -> OpRecorder | None:
        """The recorder, inside a window whose operations are recorded."""
        return self.recorder if self._window is not None else None

    def _begin_outside(self) -> bool:
        """Begins a step that does not follow another one in its window."""
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
        lead = self._schedule.wait + self._schedule.warmup
        if self._window is None and self.watch is not None and self._cycle_steps == lead // 2:
            self.watch.look(self._iterator)
        if action is Action.WARMUP and self.recorder is not None:
            self.recorder.prepare()
        self._began_ns = monotonic_ns()
        if self._window is not None:
            self._first_step_ns = self._began_ns
        return True

    def _begin_window(self) -> None:
        cuda = cuda_of_script()
        if cuda is not None:
            self.device = f"cuda:{cuda.current_device()}"
        self._tell_active()
        self._told.window(True)
        self.cpus.look()
        if self.watch is not None:
            self.watch.begin(self._iterator)
        self._window = []
        self.memory.begin()
        self._garbage.begin()
        self.anomalies.begin()
        if cuda is not None:
            cuda.reset_peak_memory_stats()
        if self.recorder is not None:
            self._synchronize()
            self.recorder.begin()
            self.times.listener = self.recorder
        # The work above takes host time outside the window: read the window's counters and clocks last.
        self._usage_before = self.usage_now()
        if self.recorder is None and cuda is not None:
            self.times.listener = self._events = CudaWindow(cuda, self.times.names)
        self._window_began_ns = monotonic_ns()

    def _tell_active(self) -> None:
        """Also after a pause, so that the window is watched anew from outside."""
        self._told.stage("active", steps=self.plan.schedule.active, step_ns=self._step_ns())

    def end_step(self, samples: int, tokens: int, size_bytes: int = 0) -> None:
        """The next step begins at the same time."""
        if samples < self._largest:
            self._flags |= PARTIAL
        self._largest = max(self._largest, samples)
        if self._told.sync_each_step:
            self._synchronize()
        if self._events is not None:
            self._events.end_step()
        if (recorder := self._recording) is not None:
            recorder.end_step()
        now = monotonic_ns()
        index = self.steps
        self.steps += 1
        self._cycle_steps += 1
        if self._window is None:
            return
        self._window.append((index, now - self._began_ns, self._waited_ns, self.times.spent, samples, tokens,
                             self._flags, size_bytes))
        self._began_ns = now
        if now >= self._limit_ns:
            self.leave()
        elif len(self._window) == self.plan.schedule.active:
            self._end_window(self._window)

    def _end_window(self, window: list[tuple[Any, ...]]) -> None:
        # The work below takes host time outside the window: read the window's counters and clocks first.
        self._add_usage()
        self._synchronize()
        drained_ns = monotonic_ns() - self._window_began_ns
        self._window = None
        self._garbage.end()
        self.anomalies.end()
        first = self.steps - len(window)
        steps = [Step(first + i, *fields[1:]) for i, fields in enumerate(window)]
        if self.samples_unknown:
            steps = [step._replace(samples=0) for step in steps]
        self.memory.end()
        self._take_peaks()
        if self.watch is not None:
            borders = [step.data_wait_ns for step in steps if step.flags & (EPOCH | FIRST_BATCH) == EPOCH]
            if self._first_step_ns:
                self.watch.handed_over(self._first_step_ns, [(step.step_ns, step.data_wait_ns, bool(step.flags & EPOCH))
                                                             for step in steps])
            self.watch.end(self._iterator, drained_ns, [step.data_wait_ns for step in steps], borders)
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
        """Discards the incomplete window: its cycle restarts with the next step."""
        if (recorder := self._recording) is not None:
            recorder.leave()
        if self._window is not None:
            self._told.window(False)
            self._garbage.end()
            self.anomalies.end()
            if self.watch is not None:
                self.watch.leave()
        self._paused_at = 0
        self._window = self._events = self.times.listener = None
        self.plan.begin_cycle_again(self.steps)

    def pause(self, ended: dict[str, int] | None = None) -> None:
        """Call between two steps when something that is not part of a step begins, such as evaluation. It is excluded
        from all times and counters. `ended`: it is already over, and this is usage_now() from before it."""
        if ended is None:
            self._told.stage("warmup")  # no step is expected meanwhile
        if self._recording is not None:  # a trace cannot exclude it
            self.leave()
        elif self._window is not None:
            self._add_usage(ended)
            phases.use(None)
            if ended is None:
                self._take_peaks()
                self.memory.end()
            else:
                self.peaks = None
                self.memory.forget()
            self._paused_at = self._began_ns
            self._first_step_ns = 0

    def go_on(self) -> None:
        """Continues after pause()."""
        if self._window is None or self._paused_at == 0:
            return
        self._tell_active()
        if (cuda := cuda_of_script()) is not None:
            cuda.reset_peak_memory_stats()
        self.memory.begin()
        self._usage_before = self.usage_now()
        if self._events is not None:
            self._events.go_on()
        self._began_ns = monotonic_ns()
        self._window_began_ns += self._began_ns - self._paused_at
        self._paused_at = 0

    def _take_peaks(self) -> None:
        cuda = cuda_of_script()
        if cuda is not None and self.peaks is not None:
            for name, peak in (("peak_allocated_bytes", cuda.max_memory_allocated()),
                               ("peak_reserved_bytes", cuda.max_memory_reserved())):
                self.peaks[name] = max(peak, self.peaks.get(name, 0))

    def _add_usage(self, now: dict[str, int] | None = None) -> None:
        for name, value in (now or self.usage_now()).items():
            self.usage[name] += value - self._usage_before[name]

    def usage_now(self) -> dict[str, int]:
        return {**_process_usage(), **dict(zip(GARBAGE, (self._garbage.ns, self._garbage.count)))}

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
        """Mean time per step so far, including device work; 0: unknown."""
        known = (monotonic_ns() - self._cycle_began_ns) // self._cycle_steps if self._cycle_steps else 0
        return max(known if self.device == "cpu" and cuda_of_script() is None else 0, self._mean_ns)


USAGE = ("cpu_user_ns", "cpu_system_ns", "minor_faults", "major_faults", "voluntary_switches", "involuntary_switches")


def _process_usage() -> dict[str, int]:
    now = resource.getrusage(resource.RUSAGE_SELF)
    return dict(zip(USAGE, (round(now.ru_utime * 1e9), round(now.ru_stime * 1e9), now.ru_minflt, now.ru_majflt,
                            now.ru_nvcsw, now.ru_nivcsw)))
