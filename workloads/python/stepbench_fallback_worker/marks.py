# SPDX-License-Identifier: Apache-2.0
"""`with record.phase("forward"):` in a Python step: records phases into the loop's times."""
from time import monotonic_ns

from stepbench_worker.window import EPOCH, FIRST_BATCH

PHASES = (
    "h2d", "zero_grad", "forward", "loss", "backward", "grad_sync", "optimizer", "graph_replay",
    "clip_grad", "lr_scheduler", "ema", "metrics", "checkpoint",
)  # fmt: skip


class Mark:
    """The mark of one phase. Does nothing outside of a step."""

    def __init__(self, marks, slot):
        self.marks = marks
        self.slot = slot

    def __enter__(self):
        if self.marks.in_step:
            self.marks.ever = True
            self.marks.loop.times.enter(self.slot)

    def __exit__(self, *_):
        if self.marks.in_step:
            self.marks.loop.times.leave(self.slot)


class WaitMark:
    """The mark of data_wait, which has its own column in a step."""

    def __init__(self, marks):
        self.marks = marks
        self.began_ns = 0

    def __enter__(self):
        if self.marks.in_step:
            self.marks.ever = True
            self.marks.loop.times.enter_wait()
            self.marks.loop.begin_wait()
            self.began_ns = monotonic_ns()

    def __exit__(self, *_):
        if self.marks.in_step:
            self.marks.loop.waited(monotonic_ns() - self.began_ns)
            self.marks.loop.times.leave_wait()


class Marks:
    """The marks of all phases, by name."""

    def __init__(self, loop):
        self.loop = loop
        self.in_step = False
        self.ever = False
        self.by_name = {name: Mark(self, slot) for slot, name in enumerate(loop.times.names)}
        self.by_name["data_wait"] = WaitMark(self)

    def border(self, first):
        """Call when an epoch begins with the next batch."""
        if self.in_step:
            self.loop.flag(EPOCH | (FIRST_BATCH if first else 0))
