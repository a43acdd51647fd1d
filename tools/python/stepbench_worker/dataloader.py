# SPDX-License-Identifier: Apache-2.0
"""Observes a script's torch DataLoader: its settings and, by kernel counters, what its workers did in the windows. The
script's own classes are not changed; counters are read during the warm-up and when windows end."""
from __future__ import annotations

import contextlib
import math
import mmap
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import monotonic_ns
from typing import Any

from . import ranks
from .batch import parts_of
from .dataloader_times import Handover
from .repeated_batches import RepeatedBatches

SETTINGS = ("batch_size", "num_workers", "prefetch_factor", "pin_memory", "persistent_workers", "drop_last", "in_order",
            "timeout")
# Thresholds of findings, as shares of a window.
WAITS, COMPUTES, BLOCKED, OTHERS, CORES_USED, BORDERS = 0.1, 0.7, 0.5, 0.1, 0.85, 0.02
# Waits of a finished batch for Python's GIL matter from LOCKED_NS and from the share LOCKED of the time to make it;
# workers that compute less than COMPUTING of their time do not hold it. HANDING_OVER: share of the step's time. GAIN:
# minimum gain of a remedy.
LOCKED_NS, LOCKED, COMPUTING, BUSY, ALL_BUSY, HANDING_OVER, GAIN = 1e6, 0.1, 0.7, 0.7, 0.9, 0.1, 0.05
# Idle workers: busy for less than this share of their time, while the step waits for no more than that share of its own.
IDLE, IDLE_WAITS = 0.5, 0.02
# Finished batches that wait for a late one: share of the window. VARIES: standard deviation of a batch's time over its
# mean, from which on batches are uneven.
STALLED, VARIES = 0.05, 0.25
# Fresh memory for each batch: page faults of the workers per page, the kernel's share of their CPU time, in batches of at
# least LARGE_BYTES.
FAULTS, SYSTEM, LARGE_BYTES = 0.5, 0.15, 1 << 20
# A late first batch: in seconds, and in times of what a worker needs for one batch.
FIRST_S, FIRST_BATCHES = 1, 5
STORAGE_BYTES_PER_S = 100e3  # per second of sleep: below it the wait is not for storage
TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def settings_of(loader: Any) -> dict[str, Any]:
    """Returns the settings for `effective`; empty if it is not a DataLoader."""
    if not all(hasattr(loader, name) for name in ("dataset", "num_workers", "collate_fn")):
        return {}
    found = {f"loader.{name}": getattr(loader, name, None) for name in SETTINGS}
    found["loader.dataset"] = type(loader.dataset).__name__
    found["loader.sampler"] = type(getattr(loader, "sampler", None)).__name__
    return {name: value for name, value in found.items() if isinstance(value, (bool, int, float, str))}


class Counters:
    """The kernel's counters so far; None: unknown."""

    def __init__(self, workers: Iterable[int], proc: Path) -> None:
        own = os.getpid()
        self.training = _schedstat(proc / str(own) / "task" / str(own) / "schedstat")
        self.workers = {pid: times for pid in workers if (times := _of_process(proc, pid)) is not None}
        self.faults = {pid: found for pid in workers if (found := _faults_of(proc, pid)) is not None}
        self.bytes_read = _sum(_bytes_read(proc / str(pid) / "io") for pid in (own, *workers))
        self.busy_ns = _busy_ns(proc)
        spent = os.times()
        self.own_ns = round((spent.user + spent.system) * 1e9)


class LoaderWatch:
    """Accumulates over all windows of a loop. `proc`: the folder /proc."""

    def __init__(self, loader: Any, proc: Path = Path("/proc"), cores: float | None = None) -> None:
        self.settings = settings_of(loader)
        self._proc = proc
        self._cores = cores if cores is not None else usable_cores()
        self._before: Counters | None = None
        self._looked_at: list[int] = []
        self._looked_ns = self._early_ns = 0
        self._elapsed_ns = 0
        self._waited_ns = 0
        self._steps = self._borders = self._border_ns = 0
        self._training = [0, 0]  # ns on a CPU, ns waiting for one
        self._workers = [0, 0]
        self._lived_ns = 0
        self._faults = [0, 0, 0]  # of the workers: page faults, ticks of their CPU time, and of the kernel's part
        self._fault_steps = 0
        self._batch_bytes: int | None = None
        self._bytes_read: int | None = 0
        self._others_ns: int | None = 0
        self._own_ns = 0
        self._known = True
        self.handover = Handover()
        self.repeated = RepeatedBatches(loader)
        self._alone = ranks.place()[1] < 2  # else other load may be its other ranks

    def observe(self, batch: Any, begins_epoch: bool) -> None:
        """Call with the batches outside of windows, in order."""
        self.repeated.observe(batch, begins_epoch)
        if self._batch_bytes is None and self.settings:
            self._batch_bytes = bytes_of(batch)

    def look(self, iterator: Any) -> None:
        """Call in the warm-up. While the counters are read, workers make batches ahead, which would shorten the first
        steps of a window; steps of the warm-up use them up."""
        if self.settings:
            self._looked_at = _workers_of(iterator)
            self._before = Counters(processes_of(iterator), self._proc)
            self._looked_ns = monotonic_ns()

    def begin(self, iterator: Any) -> None:
        """A window begins. Reads the counters only if there was no look at these workers."""
        self.repeated.close()
        if self.settings:
            self.handover.begin(iterator)
            if self._before is None or self._looked_at != _workers_of(iterator):
                self.look(iterator)
            self._early_ns = monotonic_ns() - self._looked_ns

    def leave(self) -> None:
        """The window is discarded."""
        self._before = None

    def handed_over(self, began_ns: int, steps: list[tuple[int, int, bool]]) -> None:
        """Call for a window without a pause, before end(): see Handover.end()."""
        if self._before is not None:
            self.handover.end(began_ns, steps)

    def end(self, iterator: Any, elapsed_ns: int, waits_ns: list[int], borders_ns: list[int]) -> None:
        """`waits_ns`: wait for the batch of each step; `borders_ns`: waits of the steps that begin an epoch."""
        if self._before is None:
            return
        waited_ns = sum(waits_ns)
        self._steps += len(waits_ns)
        self._borders += len(borders_ns)
        self._border_ns += sum(borders_ns)
        before, now = self._before, Counters(processes_of(iterator), self._proc)
        part = elapsed_ns / max(1, elapsed_ns + self._early_ns)  # of what was counted
        self._elapsed_ns += elapsed_ns
        self._waited_ns += waited_ns
        if before.training is None or now.training is None:
            self._known = False
        else:
            self._training = [sum(each) for each in zip(self._training, _difference(now.training, before.training, part))]
        of_workers = 0
        for pid, times in now.workers.items():
            if pid in before.workers:  # new workers began in the window, at an epoch's border
                spent = _difference(times, before.workers[pid], part)
                self._workers = [sum(each) for each in zip(self._workers, spent)]
                self._lived_ns += elapsed_ns
                of_workers += spent[0]
        lived = before.faults.keys() & now.faults.keys()
        if lived and len(lived) == self.settings["loader.num_workers"]:
            self._fault_steps += len(waits_ns)
            for pid in lived:
                spent = _difference(now.faults[pid], before.faults[pid], part)
                self._faults = [sum(each) for each in zip(self._faults, spent)]
        own_ns = round(part * (now.own_ns - before.own_ns)) + of_workers
        self._own_ns += own_ns
        self._bytes_read = _sum((self._bytes_read, _less(now.bytes_read, before.bytes_read, part)))
        busy_ns = _less(now.busy_ns, before.busy_ns, part)
        self._others_ns = None if busy_ns is None else _sum((self._others_ns, max(0, busy_ns - own_ns)))
        self._before = None

    def findings(self, first_batch_ns: int = 0) -> list[dict[str, Any]]:
        """Returns why the steps wait for data, if they do, idle workers, and the cost of epoch borders and of the start.
        `first_batch_ns`: the loop's wait for its first batch."""
        if not self._elapsed_ns:
            return []
        all_of = (self._cause(), self._lock_that_costs_nothing(), self._idle_workers(), self._epoch_border(),
                  self._start_up(first_batch_ns), self._fresh_memory(), self.repeated.finding())
        return [found for found in all_of if found is not None]

    def _cause(self) -> dict[str, Any] | None:
        waiting = self._waiting()
        if waiting is not None and waiting["id"] in ("loader.other_programs", "loader.no_workers"):
            return waiting
        if (crowded := self._oversubscribed()) is not None:
            return crowded
        if not self.handover.all.tells:
            return waiting
        return self._lock() or self._handed_over() or self._late_batches() or self._despite_idle_workers() or waiting

    def _oversubscribed(self) -> dict[str, Any] | None:
        """Returns a finding if more workers than cores take turns on them, whether the step waits or not."""
        workers = self.settings["loader.num_workers"]
        if workers <= math.ceil(self._cores):
            return None
        cpu, waiting, known = self._shares(workers)
        used = (self._own_ns + (self._others_ns or 0)) / self._elapsed_ns
        if not known or cpu + waiting <= BLOCKED * self._reading() or used < CORES_USED * self._cores:
            return None
        waits = self._wait_share() >= WAITS
        return {"id": "loader.oversubscribed", "severity": "warning",
                "text": f"{workers} workers share {number(self._cores)} core{'s' if self._cores > 1 else ''}, which are "
                        f"{percent(min(1.0, used / self._cores))} in use; they are computing {percent(cpu)} of their time and wait "
                        f"{percent(waiting)} for a CPU" + (f"; {self._waits()}" if waits else ""),
                "value": workers, "threshold": self._cores, "unit": "workers", "evidence": ["data_wait_ns"],
                "remedy": "More workers than cores cannot compute faster, and they take time from the step: use no more"
                          + (", and do less per sample." if waits else ".")}

    def _gain(self) -> float:
        """Returns the share of the time saved if no worker were idle while the step waits."""
        steps, steady_ns = self._steady_steps(), self._elapsed_ns - self._border_ns
        own_ns = (self._elapsed_ns - self._waited_ns) / steps
        turn_ns = max(own_ns, self._batch_ns() / self.settings["loader.num_workers"])
        return float(max(0.0, steady_ns - turn_ns * steps) / self._elapsed_ns)

    def _batch_ns(self) -> float:
        return self.handover.all.busy_ns / self.handover.all.known

    def _wait_share(self) -> float:
        """Returns the share of the time that the step waits for data, without borders of epochs."""
        return (self._waited_ns - self._border_ns) / self._elapsed_ns

    def _waits(self) -> str:
        return f"the step waits {percent(self._wait_share())} of its time for data"

    def _held_by_lock(self) -> tuple[float, float]:
        """Returns how long a finished batch waits for the GIL, and the share of the time that it costs."""
        handed, steps, busy = self.handover.all, self._steady_steps(), self._busy()
        queued_ns, received_ns = handed.queued_ns / handed.known, handed.received_ns / handed.known
        # A thread of the worker hands out the batch's memory while the worker reads on: it waits for the GIL, too.
        held_ns = (queued_ns if queued_ns >= LOCKED_NS else 0) + (received_ns if busy >= BUSY else 0)
        if not self._is_locked(self._batch_ns(), held_ns, steps):
            return 0, 0
        share = min(held_ns * steps / (self._elapsed_ns - self._border_ns), self._gain())
        return held_ns, share if share >= GAIN and self._wait_share() >= WAITS and busy < ALL_BUSY else 0

    def _lock(self, costly: bool = True) -> dict[str, Any] | None:
        held_ns, share = self._held_by_lock()
        if not held_ns or costly != bool(share):
            return None
        cost = {"share": share} if costly else {}
        return {"id": "loader.gil", "severity": _severity(share),
                "text": f"a finished batch waits {held_ns / 1e6:.3g} ms for Python's lock (GIL), which its worker's own reading "
                        "holds" + (f"; {self._waits()}" if costly else ""),
                "value": held_ns, "threshold": LOCKED_NS, "unit": "ns", **cost, "evidence": ["data_wait_ns"],
                "remedy": "Let Python give the lock away more often: sys.setswitchinterval(1e-4) in worker_init_fn."}

    def _lock_that_costs_nothing(self) -> dict[str, Any] | None:
        return self._lock(costly=False) if self.settings["loader.num_workers"] and self.handover.all.tells else None

    def _handed_over(self) -> dict[str, Any] | None:
        handed, steps = self.handover.all, self._steady_steps()
        wait_ns = self._waited_ns - self._border_ns
        queued_ns, received_ns = handed.queued_ns / handed.known, handed.received_ns / handed.known
        # While the thread waits for a CPU it takes nothing over.
        share = max(0.0, received_ns * steps - self._training[1]) / self._elapsed_ns
        blocked_ns = wait_ns / steps - received_ns
        if share < HANDING_OVER or (self._busy() >= BUSY and received_ns < blocked_ns):
            return None  # the wait is for missing batches or busy workers
        late = f"; a finished batch waits {queued_ns / 1e6:.3g} ms for its worker's lock (GIL) or for a CPU"
        return {"id": "loader.transport", "severity": _severity(share),
                "text": f"handing batches over takes {percent(share)} of the training thread's time"
                        + (late if queued_ns >= LOCKED_NS else ""),
                "value": share, "threshold": HANDING_OVER, "unit": "ratio", "share": share, "evidence": ["data_wait_ns"],
                "remedy": "Hand over fewer, larger batches."}

    def _late_batches(self) -> dict[str, Any] | None:
        """Returns a finding if finished batches wait for one that a worker reads longer than the others."""
        handed = self.handover.all
        stalled = handed.stalled_ns / self._elapsed_ns
        share = min(stalled, self._gain())
        if share < STALLED or handed.busy_ns < handed.stalled_ns or (self._busy() >= BUSY and handed.variation < VARIES):
            return None
        return {"id": "loader.straggler", "severity": _severity(share),
                "text": f"finished batches wait for a late one in {percent(stalled)} of the time; in any order a step would "
                        f"take {percent(share)} less",
                "value": stalled, "threshold": STALLED, "unit": "ratio", "share": share, "evidence": ["data_wait_ns"],
                "remedy": "Take what is finished first, if the order of batches may change: DataLoader(in_order=False)."}

    def _despite_idle_workers(self) -> dict[str, Any] | None:
        """Returns why the step waits for batches although workers are idle."""
        handed, steps = self.handover.all, self._steady_steps()
        waits, busy, batch_ns = self._wait_share(), self._busy(), self._batch_ns()
        workers = self.settings["loader.num_workers"]
        for_cpu = max(self._shares(workers)[1], self._training[1] / self._elapsed_ns)
        received_ns = handed.received_ns / handed.known * steps
        if (waits < WAITS or busy >= BUSY or handed.stalled_ns >= STALLED * self._elapsed_ns or for_cpu >= 2 * WAITS
                or received_ns >= waits * self._elapsed_ns / 2):
            return None
        step_ns = (self._elapsed_ns - self._border_ns) / steps
        text = f"{self._waits()} although the workers are {percent(1 - busy)} idle: "
        found = {"severity": _severity(waits), "value": waits, "threshold": WAITS, "unit": "ratio", "share": waits,
                 "evidence": ["data_wait_ns"]}
        if handed.variation >= VARIES and handed.variation * batch_ns >= WAITS * step_ns:
            factor = self.settings.get("loader.prefetch_factor", 2)
            return {"id": "loader.uneven", **found,
                    "text": f"{text}some batches take longer than others, and at most {factor * workers} finished batches can "
                            "make up for it",
                    "remedy": f"Read further ahead: DataLoader(prefetch_factor={2 * factor})."}
        if batch_ns > step_ns:
            return None
        return {"id": "loader.tiny_batches", **found,
                "text": f"{text}a batch takes {batch_ns / 1e6:.3g} ms to make, and its way to the training thread is longer than "
                        "that",
                "remedy": "Larger batches cost as much to hand over; without workers there is nothing to hand over."}

    def _fresh_memory(self) -> dict[str, Any] | None:
        """Without workers, faults of reading cannot be told from those of the step."""
        faults, ticks, kernel = self._faults
        if not self._fault_steps or not ticks or (self._batch_bytes or 0) < LARGE_BYTES:
            return None
        each, system = faults / self._fault_steps, kernel / ticks
        if each < FAULTS * (self._batch_bytes or 0) / mmap.PAGESIZE or system < SYSTEM:
            return None
        return {"id": "loader.page_faults", "severity": "warning",
                "text": f"fresh memory for each batch: {each:,.0f} page faults per batch; the kernel takes {percent(system)} of the "
                        "workers' CPU time",
                "value": system, "threshold": SYSTEM, "unit": "ratio", "evidence": ["data_wait_ns"],
                "remedy": "A DataLoader always makes fresh memory: smaller types (uint8, converted on the device) touch less of it."}

    def _steady_steps(self) -> int:
        return max(1, self._steps - self._borders)

    def _busy(self) -> float:
        """Returns the share of the workers' time, outside epoch borders, spent on batches. Needs known handovers."""
        steady_ns = self.settings["loader.num_workers"] * (self._elapsed_ns - self._border_ns)
        return float(min(1.0, self._batch_ns() * self._steady_steps() / max(1, steady_ns)))

    def _reading(self) -> float:
        """Returns the share of the workers' time in which they read; 1 if it is not known."""
        return self._busy() if self.handover.all.tells else 1.0

    def _idle_workers(self) -> dict[str, Any] | None:
        workers = self.settings["loader.num_workers"]
        if workers < 2 or self._wait_share() >= IDLE_WAITS or not self.handover.all.tells:
            return None
        busy = self._busy()
        enough = max(1, math.ceil(1.2 * workers * busy))
        if busy >= IDLE or enough >= workers:
            return None
        return {"id": "loader.idle_workers", "severity": "info",
                "text": f"{workers} workers are busy only {percent(busy)} of their time",
                "value": busy, "threshold": IDLE, "unit": "ratio", "evidence": ["data_wait_ns"],
                "remedy": f"DataLoader(num_workers={enough}) would do: fewer workers hold less memory and leave their cores to "
                          "the step."}

    def _start_up(self, first_batch_ns: int) -> dict[str, Any] | None:
        if not self.settings["loader.num_workers"] or not self.handover.all.tells:
            return None
        batch_ns = self._batch_ns()
        threshold_ns = max(FIRST_S * 1e9, FIRST_BATCHES * batch_ns)
        if first_batch_ns < threshold_ns:
            return None
        return {"id": "loader.start_up", "severity": "info",
                "text": f"the first batch came after {first_batch_ns / 1e9:.3g} s; a worker needs {batch_ns / 1e6:.3g} ms for one",
                "value": first_batch_ns, "threshold": threshold_ns, "unit": "ns", "evidence": ["first_batch_ns"],
                "remedy": "Start the workers earlier or once: make the DataLoader before the model, with "
                          "persistent_workers=True. Workers by spawn or forkserver import your script's modules anew."}

    def _is_locked(self, batch_ns: float, held_ns: float, steps: int) -> bool:
        """True if the GIL, held by a worker's own reading, causes the wait, not a lack of CPU."""
        computing = self._workers[0] / max(1.0, batch_ns * steps)
        return (held_ns >= max(LOCKED_NS, LOCKED * batch_ns) and computing >= COMPUTING
                and self._workers[1] / steps <= held_ns / 2)

    def _border_extra_ns(self) -> float:
        """Time of borders beyond the usual wait: the batches after one were made during its wait, by all workers."""
        turns = self._borders * max(1, self.settings["loader.num_workers"])
        usual = turns * (self._waited_ns - self._border_ns) / (self._steps - turns) if self._steps > turns else 0
        return max(0.0, self._border_ns - usual)

    def _epoch_border(self) -> dict[str, Any] | None:
        extra_ns = self._border_extra_ns()
        share = extra_ns / self._elapsed_ns
        if not self._borders or not self.settings["loader.num_workers"] or share < BORDERS:
            return None
        persist = self.settings.get("loader.persistent_workers")
        why = ("the next epoch's first batch is not read before the last one ends" if persist
               else "the workers stop and start again")
        return {"id": "loader.epoch_drain" if persist else "loader.epoch_gap",
                "severity": _severity(share),
                "text": f"between two epochs the step stands still for {extra_ns / self._borders / 1e6:.3g} ms, "
                        f"{percent(share)} of the time: {why}",
                "value": share, "threshold": BORDERS, "unit": "ratio", "share": share, "evidence": ["epoch_gap_ns"],
                "remedy": "Join the epochs: a sampler that never ends." if persist
                          else "Keep the workers over epochs: DataLoader(persistent_workers=True)."}

    def _waiting(self) -> dict[str, Any] | None:
        share = (self._waited_ns - self._border_extra_ns()) / self._elapsed_ns
        if share < WAITS:
            return None
        workers = self.settings["loader.num_workers"]
        waits = f"the step waits {percent(share)} of its time for data"
        others = None if self._others_ns is None else self._others_ns / self._elapsed_ns
        used = self._own_ns / self._elapsed_ns + (others or 0)
        taken = self._alone and others is not None and others >= OTHERS * self._cores
        text, told = "no workers: " + waits, ""
        name = "loader.worker_bound" if workers else "loader.no_workers"
        cpu, waiting, known = self._shares(workers)
        free = self._cores - used
        slept = max(0.0, 1 - cpu - waiting)
        if known:
            told = f"computing {percent(cpu)}, waiting for a CPU {percent(waiting)}, sleeping {percent(slept)}"
        if known and taken and waiting >= WAITS and cpu + waiting > BLOCKED * self._reading():
            name, remedy = "loader.other_programs", "End them, or measure where nothing else runs."
        elif not workers:
            remedy = ("Workers read the next batches while this one is used: DataLoader(num_workers=1) and more."
                      if free >= 0.5 or (known and slept >= BLOCKED) else less_work(self._cores))
        elif not known:
            remedy = "What the workers do meanwhile is not known: " + (
                "none of them lives as long as a window. DataLoader(persistent_workers=True) keeps them." if self._known
                else "this kernel does not count it.")
        elif cpu + waiting >= COMPUTES and free >= 0.5:
            remedy = f"There are cores left: DataLoader(num_workers={workers + max(1, int(free))})."
        elif cpu + waiting >= COMPUTES:
            name = "loader.core_bound"
            remedy = less_work(self._cores)
        else:
            remedy = self._remedy_of_blocked(slept, workers)
        if workers:
            text = f"{waits}; {workers} worker{'s' if workers > 1 else ''}"
        if told:
            text += f": {told}"
        if taken:
            text += f"; other programs use {others:.1f} of {number(self._cores)} cores"
        return {"id": name, "severity": _severity(share), "text": text, "value": share, "threshold": WAITS, "unit": "ratio",
                "share": share, "evidence": ["data_wait_ns"], "remedy": remedy}

    def _shares(self, workers: int) -> tuple[float, float, bool]:
        """Returns the shares computing and waiting for a CPU, of the workers' time or, without workers, of the reading
        time; and whether they are known."""
        if workers:
            if self._lived_ns <= 0:
                return 0, 0, False
            cpu = min(1.0, self._workers[0] / self._lived_ns)
            return cpu, min(1 - cpu, self._workers[1] / self._lived_ns), True
        if not self._known:
            return 0, 0, False
        # The reading thread also runs the step: these are bounds of its sleep while reading.
        cpu, waiting = self._training
        least = max(0, self._waited_ns - cpu - waiting) / self._waited_ns
        most = min(1.0, max(0, self._elapsed_ns - cpu - waiting) / self._waited_ns)
        if most - least > BLOCKED:
            return 0, 0, False
        slept, for_cpu = (least + most) / 2, waiting / self._elapsed_ns
        return max(0.0, 1 - slept - for_cpu), min(1 - slept, for_cpu), True

    def _remedy_of_blocked(self, share: float, workers: int) -> str:
        more = f"more of them leave the cores free: DataLoader(num_workers={2 * workers})"
        if self._bytes_read is None:
            return f"They sleep, for what is not known; {more}, unless they share a lock."
        if self._bytes_read / max(share * self._lived_ns * 1e-9, 1e-9) >= STORAGE_BYTES_PER_S:
            return f"They wait for storage: {more}."
        return f"They sleep, and not for storage; {more}, if they do not wait for one another or for you."


def less_work(cores: float, of_machine: int | None = None) -> str:
    """Returns the remedy when cores are the limit. srun gives a task one CPU unless more are requested."""
    of_machine = of_machine or os.cpu_count() or 0
    if of_machine > cores:
        return (f"The cores are the limit, and this process may use {number(cores)} of the machine's {of_machine}: give it more "
                "(srun --cpus-per-task, docker --cpus, taskset), or do less per sample.")
    return "The cores are the limit: do less per sample, or use a machine with more."


def usable_cores(root: Path = Path("/")) -> float:
    """Returns the number of cores that this process may use: those of its affinity mask, limited by the CPU quotas of
    its control group and the enclosing ones."""
    cores = float(len(os.sched_getaffinity(0)))
    for group in _control_groups(root):
        for quota_file, period_file in (("cpu.max", None), ("cpu.cfs_quota_us", "cpu.cfs_period_us")):
            with contextlib.suppress(OSError, ValueError):
                words = (group / quota_file).read_text(encoding="ascii").split()
                if period_file is not None:
                    words += (group / period_file).read_text(encoding="ascii").split()
                quota, period = words
                if quota != "max" and int(quota) > 0:
                    cores = min(cores, int(quota) / int(period))
    return cores


def _control_groups(root: Path) -> Iterator[Path]:
    """Yields control groups, innermost first. A container sees its own at the mount, whatever its path is."""
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    mount = root / "sys/fs/cgroup"
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        top = mount / "cpu" if controllers else mount
        group = top / path.lstrip("/") if ".." not in path and (top / path.lstrip("/")).is_dir() else top
        while group != top:
            yield group
            group = group.parent
        yield top


def bytes_of(batch: Any, depth: int = 4) -> int:
    """Returns the bytes of the tensors and arrays in a batch."""
    size = getattr(batch, "nbytes", None)
    if isinstance(size, int):
        return size
    return sum(bytes_of(part, depth - 1) for part in parts_of(batch)) if depth else 0


def _workers_of(iterator: Any) -> list[int]:
    """Returns the pids of the workers, whether they live or not."""
    return [worker.pid for worker in getattr(iterator, "_workers", ())]


def processes_of(iterator: Any) -> list[int]:
    """Returns the pids of the live workers of a DataLoader's iterator."""
    return [worker.pid for worker in getattr(iterator, "_workers", []) if worker.pid and worker.is_alive()]


def _severity(share: float) -> str:
    return "problem" if share >= 0.25 else "warning" if share >= 0.05 else "info"


def percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share < 0.9995 else f"{100 * share:.0f} %"


def number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _schedstat(file: Path) -> tuple[int, int] | None:
    try:
        cpu_ns, waited_ns, *_ = map(int, file.read_text(encoding="ascii").split())
        return cpu_ns, waited_ns
    except (OSError, ValueError):
        return None


def _of_process(proc: Path, pid: int) -> tuple[int, int] | None:
    times = [found for task in (proc / str(pid) / "task").glob("*") if (found := _schedstat(task / "schedstat"))]
    return (sum(each[0] for each in times), sum(each[1] for each in times)) if times else None


def _faults_of(proc: Path, pid: int) -> tuple[int, int, int] | None:
    """Returns a process's page faults, ticks of its CPU time, and those in the kernel."""
    try:
        fields = (proc / str(pid) / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        faults, user, kernel = (int(fields[place]) for place in (7, 11, 12))
        return faults, user + kernel, kernel
    except (OSError, ValueError, IndexError):
        return None


def _bytes_read(file: Path) -> int | None:
    try:
        fields = dict(line.split(": ") for line in file.read_text(encoding="ascii").splitlines())
        return int(fields["read_bytes"])
    except (OSError, ValueError, KeyError):
        return None


def _busy_ns(proc: Path) -> int | None:
    """Busy time of the CPUs that this process may use."""
    mine = {f"cpu{cpu}" for cpu in os.sched_getaffinity(0)}
    try:
        rows = [line.split() for line in (proc / "stat").read_text(encoding="ascii").splitlines()]
        ticks = [sum(map(int, row[1:8])) - int(row[4]) - int(row[5]) for row in rows if row[0] in mine]
        return sum(ticks) * TICK_NS if ticks else None
    except (OSError, ValueError, IndexError):
        return None


def _difference(now: tuple[int, ...], before: tuple[int, ...], part: float) -> list[int]:
    return [round(part * (after - earlier)) for after, earlier in zip(now, before)]


def _less(now: int | None, before: int | None, part: float) -> int | None:
    return None if now is None or before is None else max(0, round(part * (now - before)))


def _sum(values: Iterable[int | None]) -> int | None:
    known = list(values)
    return None if None in known else sum(known)  # type: ignore[arg-type]
