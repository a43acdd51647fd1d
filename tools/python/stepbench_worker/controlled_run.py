# SPDX-License-Identifier: Apache-2.0
"""A loop under `stepbench run`: applies the case's options and reports over the socket."""
from __future__ import annotations

import os
import sys
from pathlib import Path
from time import monotonic_ns
from typing import Any

from . import facts, garbage, ranks, spawned_ranks
from .control import Control
from .device import pci_of_script
from .loop import Loop, Session
from .phases import own_names
from .profile import MAX_WARMUP, Wanted
from .schedule import Schedule
from .stopping import Stopping
from .summary import parts_of

BEGAN_NS = monotonic_ns()
FOREIGN = {"horovod", "mpi4py", "jax"}  # libraries with process groups of their own, without torch.distributed


class ControlledRun(Session):
    """Sends the measurements when the schedule has ended, so that JSON encoding is not part of a step."""

    def __init__(self, control: Control, case: dict[str, Any]) -> None:
        super().__init__()
        self._control = control
        self._pid = os.getpid()
        self.at = "set_up"
        self.ended = False
        options = case["options"]
        self.schedule, self.stopping = schedule_of(options)
        self.wanted_loop = options.get("script.loop") or ""
        self.gc = options.get("script.gc") or self.gc
        if case.get("pass") in ("native", "kineto"):
            self.timing = self.schedule
            self.schedule = last_steps(self.timing, options)
            self.stopping = None
            self.wanted = wanted(case)
        self.sync_each_step = options.get("schedule.sync") == "step"
        self.ranks = int(case.get("world") or 1)
        if self.ranks == 1:  # with several ranks none may end alone
            wall_s = float(options.get("limits.wall_s") or 1e9)
            self.deadline_ns = BEGAN_NS + round((wall_s - min(wall_s / 10, 10)) * 1e9)

    def open(self, schedule: Schedule, name: str, results: str | None) -> Loop | None:
        if os.getpid() != self._pid:
            spawned_ranks.refuse()
        met = ranks.group()
        if self.ranks == 1 and met is not None and met[1] > 1:
            why = spawned_ranks.error(met[1])
            self.fail(str(why))  # before the script's other ranks end this process
            raise why
        first = self.loop is None
        loop = super().open(schedule, name, results)
        if first and loop is not None:
            garbage.apply(self.gc)
        return loop

    def stage(self, name: str, steps: int = 0, step_ns: int = 0) -> None:
        self.at = name
        said = {"steps": steps, "step_ns": step_ns, "device_pci": pci_of_script() if name == "active" else ""}
        self._control.send("stage", stage=name, **{key: value for key, value in said.items() if value})

    def cycle(self, number: int, columns: dict[str, list[int]]) -> None:
        steps = len(columns["step_ns"])
        self._control.send("cycle", cycle=number, steps=steps, mean_step_ns=sum(columns["step_ns"]) // steps)

    def finished(self, loop: Loop) -> None:
        notes = own_phases_of(loop.cycles)
        for number, columns in enumerate(loop.cycles):
            self._control.send_samples(number, in_others(columns))
        self.stage("tear_down")
        report = facts.launch_report(loop, self.facts(), self.gc)
        report["notes"] += notes
        if self.ranks > 1 and not FOREIGN.intersection(sys.modules):
            met = ranks.group()
            report["schedule"]["met_ranks"] = met is not None and met[1] == self.ranks
        if self.others:
            report["notes"].append(f"not measured here: the loops {', '.join(name or 'without a name' for name in self.others)}"
                                   "; script.loop chooses one by its name, and can be swept")
        self.finish(report)

    def facts(self) -> dict[str, Any]:
        """Additional facts for `effective`."""
        return {}

    def finish(self, report: dict[str, Any]) -> None:
        self._control.send("launch", **report)
        self.ended = True
        if self.ranks > 1:
            self._control.wait_for_end()

    def fail(self, reason: str) -> None:
        if not self.ended:
            self._control.send("failed", message=reason, stage=self.at)
            self.ended = True


def in_others(columns: dict[str, list[int]]) -> dict[str, list[int]]:
    """Adds the script's own phases to `other_ns`: the experiment's columns were declared before the script ran."""
    kept = dict(columns)
    for suffix in ("_ns", "_device_ns"):
        for name in own_names():
            own = kept.pop(name + suffix, None)
            if own is not None:
                kept["other" + suffix] = [rest + part for rest, part in zip(kept["other" + suffix], own)]
    return kept


def own_phases_of(cycles: list[dict[str, list[int]]]) -> list[str]:
    parts = parts_of(cycles)
    told = [f"{name} {parts[name] / 1e6:.4g} ms" for name in own_names() if parts.get(name)]
    return [f"of `other`, per step: {', '.join(told)}: the script's own phases"] if told else []


def schedule_of(options: dict[str, Any]) -> tuple[Schedule, Stopping | None]:
    counts = {name: options[option] for name in Schedule.__dataclass_fields__
              if options.get(option := "schedule." + name) is not None}
    if counts.get("active") != "auto":
        return Schedule(**counts), None
    most = options["schedule.max_active"]
    counts["active"] = min(options["schedule.window"], most)
    stopping = Stopping(counts.get("repeat", 1), True, options["schedule.precision"], most)
    return Schedule(**{**counts, "repeat": 0}), stopping


def last_steps(timing: Schedule, options: dict[str, Any]) -> Schedule:
    """Returns a schedule with one window over the last steps of the timed launches."""
    active = options.get("profile.active") or Schedule.active
    warmup = options.get("profile.warmup")
    if isinstance(warmup, int):
        return Schedule(wait=0, warmup=warmup, active=active)
    active = min(active, timing.active)
    warmup = min(MAX_WARMUP, timing.steps - active)
    return Schedule(wait=0, warmup=warmup, active=active, skip_first=timing.steps - active - warmup)


def wanted(case: dict[str, Any]) -> Wanted:
    options = case["options"]
    name = f"{case.get('case_id', 'case')}-{case['pass']}-{case.get('launch', 0)}-{case.get('rank', 0)}"
    suffix = ".pt.trace.json" if options.get("profile.trace") == "json" else Wanted.suffix
    return Wanted(Path(case.get("run_dir") or ".") / "traces", name, options.get("profile.shapes") is not False,
                  options.get("profile.memory") is not False, suffix)
