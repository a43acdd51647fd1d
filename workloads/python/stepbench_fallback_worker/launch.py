# SPDX-License-Identifier: Apache-2.0
"""One launch: a case from the controller's socket or a file, measured in this process."""
import json
import os
import sys
import time

import torch
from stepbench_user_code import compiled, user_file
from stepbench_user_code.user_file import UserError
from stepbench_worker import facts, phases
from stepbench_worker.control import Control
from stepbench_worker.controlled_run import ControlledRun
from stepbench_worker.loop import Loop
from stepbench_worker.source import LoopError

from stepbench_fallback_worker import steps
from stepbench_fallback_worker.case import Case
from stepbench_fallback_worker.device import Skip

BY_PYTHON = (
    "measured by stepbench's worker in Python, on the same clocks; records of CUPTI and names of modules are missing. The "
    "worker in C++ was not used:"
)


class Printed:
    """Replaces the socket for a case from a file: prints lines to standard output."""

    def __init__(self, file):
        self.file = file

    def read_case(self):
        with open(self.file, encoding="utf-8") as opened:
            return json.load(opened)

    def send(self, kind, **fields):
        print(json.dumps({"kind": kind, **fields}), flush=True)

    send_samples = Control.send_samples


class Launch(ControlledRun):
    """The launch of a step that is made from the case."""

    def __init__(self, control, case):
        super().__init__(control, case.message)
        self.case = case
        self.control = control
        self.step = None
        self.graphs_before = 0
        self.graphs = 0  # compiled by torch.compile inside windows

    def window(self, begins):
        if begins:
            self.graphs_before = compiled.graphs()
        else:
            self.graphs += compiled.graphs() - self.graphs_before
        self.step.window(begins)

    def finished(self, loop):
        """Sends the measurements; run() makes the report afterwards."""
        for number, columns in enumerate(loop.cycles):
            self.control.send_samples(number, columns)

    def run(self, import_ns):
        self.stage("set_up")
        began = time.monotonic_ns()
        self.step = steps.make_step(self.case)
        loop = Loop(self.schedule, self, self.step.phases)
        self.loop = loop
        try:
            self.step.set_up(loop)
            set_up_ns = time.monotonic_ns() - began
            loop.know_epoch(self.step.steps_per_epoch())
            while loop.begin_step():
                loop.entered()
                loop.end_step(*self.step.step())
            loop.finish()
            report = self.report(loop)
        finally:
            phases.use(None)
        self.stage("tear_down")
        began = time.monotonic_ns()
        self.step.tear_down()
        report["notes"] += filter(None, [getattr(getattr(self.step, "batches", None), "left", "")])
        ended = time.monotonic_ns()
        report["metrics"] |= {"set_up_ns": set_up_ns, "tear_down_ns": ended - began, "python_import_ns": import_ns}
        self.finish(report)

    def report(self, loop):
        loop.loss, loop.gradient_norm = self.step.fingerprint()
        said = facts.launch_report(loop, {})
        said["metrics"].pop("first_batch_ns")
        self.step.report(said)
        said["notes"].append(f"{BY_PYTHON} {self.case.why}")
        if self.case.message.get("pass") == "native":
            said["notes"].append("operations were recorded by torch.profiler, not by stepbench's own collector")
        if self.wanted is not None and self.case.get("profile.stacks", False):
            said["notes"].append("profile.stacks: only the worker in C++ looks at the lines of a loader's code")
        if compiled.graphs() > 0:
            said["metrics"] |= {"python_compiled_graphs": compiled.graphs(), "python_recompiled_graphs": self.graphs}
        if self.graphs > 0:
            said["findings"] = [recompiled(self.graphs)]
        return said


def recompiled(graphs):
    return {
        "id": "python.recompiled",
        "severity": "problem",
        "text": f"torch.compile compiled {graphs} graph{'' if graphs == 1 else 's'} inside the window: its steps hold the "
        "time of the compiler",
        "value": graphs,
        "threshold": 0,
        "unit": "graphs",
        "evidence": ["python_recompiled_graphs"],
        "remedy": "Raise schedule.warmup until all shapes were seen; give batches one shape (drop_last), or compile with "
        "dynamic=True. TORCH_LOGS=recompiles says why.",
    }


def set_threads(options):
    for option, setter in (("threads.intra_op", torch.set_num_threads), ("threads.inter_op", torch.set_num_interop_threads)):
        count = options.get(option)
        if isinstance(count, int) and count > 0:
            setter(count)


def measure(control, build_id, why, remedy, import_ns):
    """Does not return."""
    software = facts.software() | {"python.host": "fallback"}
    control.send("hello", protocol=[1, 3], build_id=build_id, catalogue_digest="", pid=os.getpid(), software=software)
    case = Case(control.read_case(), why, remedy)
    told = Launch(control, case)
    set_threads(case.options)
    try:
        told.run(import_ns)
    except (Skip, user_file.Unavailable) as reason:
        control.send("skipped", reason=str(reason))
    except UserError as error:
        told.fail(f"{error.where}: {error}")
    except LoopError as error:
        told.fail(str(error))
    except BaseException as error:  # any exception of the user's code becomes the reason in its row
        user_file.print_traceback(error)
        told.fail(user_file.reason_of(error))
    # Exit without waiting for threads and workers of the user that do not end.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def control_of(arguments):
    """Returns the source of a case; None: the arguments request something else."""
    if len(arguments) == 1 and arguments[0].startswith("--control-fd="):
        return Control(int(arguments[0].partition("=")[2]))
    if arguments and arguments[0] == "--case":
        return Printed(arguments[1])
    if arguments and arguments[0].startswith("--case="):
        return Printed(arguments[0].partition("=")[2])
    return None
