# SPDX-License-Identifier: Apache-2.0
"""One launch under `stepbench run`: a script in a fresh process, driven over a socket."""
from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from time import monotonic_ns
from typing import Any

from . import facts, script, session
from .control import Control
from .loop import Loop
from .schedule import Schedule

BEGAN_NS = monotonic_ns()


class Driven(session.Session):
    """Tells `stepbench run`. What was measured is sent when the schedule has ended: JSON is no part of a step."""

    def __init__(self, control: Control, options: dict[str, Any], path: Path) -> None:
        self._control = control
        self._path = path
        self.at = "set_up"
        self.ended = False
        self.schedule = Schedule(**{name: options.get("schedule." + name, getattr(Schedule, name))
                                    for name in Schedule.__dataclass_fields__})
        self.sync_each_step = options.get("schedule.sync") == "step"
        wall_s = float(options.get("limits.wall_s") or 1e9)
        self.deadline_ns = BEGAN_NS + round((wall_s - min(wall_s / 10, 10)) * 1e9)

    def stage(self, name: str, steps: int = 0, step_ns: int = 0) -> None:
        self.at = name
        said = {"steps": steps, "step_ns": step_ns}
        self._control.send("stage", stage=name, **{key: value for key, value in said.items() if value})

    def cycle(self, number: int, columns: dict[str, list[int]]) -> None:
        steps = len(columns["step_ns"])
        self._control.send("cycle", cycle=number, steps=steps, mean_step_ns=sum(columns["step_ns"]) // steps)

    def finished(self, loop: Loop) -> None:
        for number, columns in enumerate(loop.cycles):
            self._control.send_samples(number, columns)
        self.stage("tear_down")
        self._control.send("launch", **facts.launch_report(loop, self._path))
        self.ended = True

    def fail(self, reason: str) -> None:
        if not self.ended:
            self._control.send("failed", message=reason, stage=self.at)
            self.ended = True

    def why_unfinished(self) -> str:
        name = self._path.name
        if self.loop is None:
            return (f"{name} ended without a loop over measure(): write `for batch in measure(loader):`, with `from "
                    "stepbench_worker import measure`")
        return (f"{name} left its loop over measure() after {self.loop.steps} steps and ended; the schedule needs "
                f"{self.loop.planned_steps} in one loop, wait and warm-up included: leave out what ends the loop, or "
                "lower schedule.active")


def measure_case(control: Control) -> int:
    control.send("hello", protocol=[1, 3], build_id=facts.build_id(), catalogue_digest="", pid=os.getpid(),
                 software=facts.software())
    options = control.read_case()["options"]
    path = Path(options["script.path"]).resolve()
    threads = options.get("threads.intra_op")
    if isinstance(threads, int):
        os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = str(threads)
    told = Driven(control, options, path)
    session.use(told)
    told.stage("set_up")
    try:
        script.run(path, shlex.split(options.get("script.args") or ""))
    except SystemExit as ended:
        if ended.code not in (None, 0) or told.loop is None:
            if isinstance(ended.code, str):
                print(ended.code, file=sys.stderr)
            told.fail(f"{path.name} ended itself by sys.exit({ended.code!r})"
                      + (f" after {told.loop.steps} steps" if told.loop else " before a loop over measure()"))
            return 1 if ended.code else 0
    except BaseException as error:  # whatever a script can raise is the reason of its row
        script.print_error(error)
        told.fail(script.reason_of(error, path))
        return 1
    told.fail(told.why_unfinished())
    return 0


def main(arguments: list[str]) -> int:
    if len(arguments) == 1 and arguments[0].startswith("--control-fd="):
        return measure_case(Control(int(arguments[0].partition("=")[2])))
    print("usage: stepbench run --python SCRIPT [OPTIONS] [-- ARGUMENTS OF THE SCRIPT]\n"
          "This program is the worker that `stepbench run` starts for it.", file=sys.stderr)
    return 2
