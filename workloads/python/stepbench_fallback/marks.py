# SPDX-License-Identifier: Apache-2.0
"""`with record.phase("forward"):` of a step in Python, into the loop's times."""
from time import monotonic_ns

from stepbench_worker.window import EPOCH, FIRST_BATCH

PHASES = (
    "h2d", "zero_grad", "forward", "loss", "backward", "grad_sync", "optimizer", "graph_replay",
    "clip_grad", "lr_scheduler", "ema", "metrics", "checkpoint",
)  # fmt: skip


class Mark:
    """Of one phase. Outside of a step it does nothing."""

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
    """Of data_wait, which is a step's own column."""

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
    """All phases of a loop's steps, by name."""

    def __init__(self, loop):
        self.loop = loop
        self.in_step = False
        self.ever = False
        self.by_name = {name: Mark(self, slot) for slot, name in enumerate(loop.times.names)}
        self.by_name["data_wait"] = WaitMark(self)

    def border(self, first):
        """An epoch begins with the batch that comes."""
        if self.in_step:
            self.loop.flag(EPOCH | (FIRST_BATCH if first else 0))
