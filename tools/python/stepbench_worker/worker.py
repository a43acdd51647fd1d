# SPDX-License-Identifier: Apache-2.0
"""One launch under `stepbench run`: a script in a fresh process, controlled over a socket."""
from __future__ import annotations

import faulthandler
import os
import shlex
import signal
import sys
from pathlib import Path
from typing import Any

from . import facts, memory, ranks_check, script, session, spawned_ranks
from .control import Control
from .controlled_run import ControlledRun


class Launch(ControlledRun):
    """The launch of a script."""

    def __init__(self, control: Control, case: dict[str, Any], path: Path) -> None:
        super().__init__(control, case)
        self._path = path
        self.ear = spawned_ranks.Ear()

    def facts(self) -> dict[str, Any]:
        return facts.facts_of_script(self._path)

    def fail(self, reason: str) -> None:
        """Errors of processes that the script started take precedence over the script's own."""
        super().fail(str(self.ear.heard() or reason))

    def why_unfinished(self) -> str:
        name = self._path.name
        if self.loop is None and self.others:
            named = ", ".join(filter(None, self.others)) or "none: measure(loader, name=...)"
            return f'{name} has no loop named "{self.wanted_loop}" (script.loop); its loops are {named}'
        if self.loop is None:
            return (f"{name} ended without a loop over measure(): write `for batch in measure(loader):`, with `from "
                    "stepbench_worker import measure`")
        return (f"{name} left its loop over measure() after {self.loop.steps} steps and ended; the schedule needs "
                f"{self.loop.planned_steps} in one loop, wait and warm-up included: leave out what ends the loop, or "
                "lower schedule.active")


def measure_case(control: Control) -> int:
    control.send("hello", protocol=[1, 3], build_id=facts.build_id(), catalogue_digest="", pid=os.getpid(),
                 software=facts.software())
    case = control.read_case()
    options = case["options"]
    path = Path(options["script.path"]).resolve()
    threads = options.get("threads.intra_op")
    if isinstance(threads, int):
        os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = str(threads)
    memory.keep_to_share(os.environ)
    # Processes that the script starts must find this package too.
    here = str(Path(__file__).parent.parent)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), here)))
    if case.get("world", 1) > 1:  # prints a rank's stack if ranks wait for each other
        faulthandler.register(signal.SIGUSR1, all_threads=False)
    told = Launch(control, case, path)
    session.use(told)
    told.stage("set_up")
    try:
        script.run(path, shlex.split(options.get("script.args") or ""))
    except SystemExit as ended:
        if ended.code not in (None, 0) or told.loop is None:
            if isinstance(ended.code, str):
                print(ended.code, file=sys.stderr)
            told.fail(f"{path.name} ended itself by sys.exit({ended.code!r})"
                      + (f" after {told.loop.steps} steps" if told.loop else " before a loop over measure()")
                      + script.argument_error(ended))
            return 1 if ended.code else 0
    except BaseException as error:  # any exception of the script becomes the reason in its row
        script.print_error(error)
        told.fail(script.reason_of(error, path))
        return 1
    told.fail(told.why_unfinished())
    return 0


def main(arguments: list[str]) -> int:
    if arguments and arguments[0].startswith("--control-fd="):
        control = Control(int(arguments[0].partition("=")[2]))
        return ranks_check.check(control) if arguments[1:] == ["--check-ranks"] else measure_case(control)
    print("usage: stepbench run --python SCRIPT [OPTIONS] [-- ARGUMENTS OF THE SCRIPT]\n"
          "This program is the worker that `stepbench run` starts for it.", file=sys.stderr)
    return 2
