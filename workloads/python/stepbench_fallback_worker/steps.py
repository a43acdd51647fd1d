# SPDX-License-Identifier: Apache-2.0
"""The measured steps: the user's own step, batches of a DataLoader, or stepbench's step on them."""
from stepbench_user_code import step as user_step
from stepbench_user_code import user_file

from stepbench_fallback_worker.batches import Batches, Data
from stepbench_fallback_worker.device import device_of
from stepbench_fallback_worker.marks import PHASES, Marks
from stepbench_fallback_worker.model_step import EvalStep, TrainStep


class PythonStep:
    """workload: python_step."""

    phases = PHASES

    def __init__(self, case, device):
        self.case = case
        self.device = device

    def set_up(self, loop):
        case = self.case
        self.marks = Marks(loop)
        facts = {"device": str(self.device), "rank": case.rank, "world": case.world}
        self.record = user_step.Record(self.marks.by_name, self.marks.border, facts)
        self.users = user_step.Step(case.get("step.path"), case.arguments, self.record, case.get("seed"))
        self.users.set_up()

    def steps_per_epoch(self):
        return self.users.steps_per_epoch()

    def step(self):
        """Runs a step; returns samples and tokens."""
        self.marks.in_step = True
        try:
            result = self.users.run(self.record)
        finally:
            self.marks.in_step = False
        return self.users.counts(result)

    def window(self, begins):
        """There are no counters per window."""

    def fingerprint(self):
        return self.users.fingerprint()

    def report(self, said):
        said["effective"].update({
            "device": str(self.device),
            "step.digest": user_file.digest([self.case.get("step.path")]),
        })
        if not self.marks.ever:
            said["notes"].append(
                "step() marks no phases, so that all of its time is `other`; mark them by `with "
                'record.phase("forward"):`'
            )

    def tear_down(self):
        self.users.tear_down()


class Loading:
    """workload: loader."""

    phases = ()

    def __init__(self, case, _):
        self.case = case

    def set_up(self, loop):
        self.loop = loop
        self.data = Data(self.case)
        self.batches = Batches(self.data, self.case)
        self.batches.begin()

    def steps_per_epoch(self):
        return self.batches.per_epoch()

    def step(self):
        """Takes a batch; returns samples, tokens and bytes."""
        batch = self.batches.next(self.loop)
        return batch.size, 0, batch.bytes

    def window(self, begins):
        self.batches.window(begins)

    def fingerprint(self):
        return None, None

    def report(self, said):
        said["effective"]["data.digest"] = self.data.users.digest()
        said["metrics"].update(self.batches.metrics())

    def tear_down(self):
        self.batches.close()


def make_step(case):
    """Raises UserError for features that only the C++ worker has."""
    kinds = {"python_step": PythonStep, "loader": Loading, "train_step": TrainStep, "eval_step": EvalStep}
    if case.workload not in kinds:
        case.refuse("workload", case.workload)
    if case.workload != "python_step":
        for option in ("data.kind", "model.kind"):
            kind = case.options.get(option)
            if kind not in (None, "python"):
                case.refuse(option, kind)
    return kinds[case.workload](case, device_of(case))
