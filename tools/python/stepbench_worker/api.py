# SPDX-License-Identifier: Apache-2.0
"""What a script calls: measure() around its loader, Steps where a framework runs the loop, report() for its loss."""
from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from . import own_ranks, session
from .batch import SampleCounter
from .loop import Loop, Session
from .measured import Measured, refuse_what_has_no_batches
from .schedule import Schedule
from .source import LoopError
from .window import EPOCH

Batch = TypeVar("Batch")


def _counter(value: Callable[[Batch], int] | int) -> Callable[[Batch], int]:
    return value if callable(value) else lambda _: value


def measure(loader: Iterable[Batch], *, name: str = "", wait: int = 1, warmup: int = 10, active: int = 50,
            repeat: int = 1, samples: Callable[[Batch], int] | int | None = None,
            tokens: Callable[[Batch], int] | int | None = None, results: str | None = "results") -> Measured[Batch]:
    """The batches of `loader`, with a schedule of steps that are measured; a step is all from one batch to the next.
    The time until the loader has a batch is the step's phase `data_wait`. What it returns has the result, once the loop
    has ended: steps, phases, summary(), to_pandas().

    The loader begins anew as often as the schedule needs. After it the loop goes on to the end of the loader's epoch;
    under `stepbench run` it ends, and the script with the next loop.

    name: tells several loops of a script apart; `stepbench run` measures each in processes of its own.
    wait, warmup, active, repeat: cycles of steps of which nothing is kept, of warm-up and measured ones. Under
    `stepbench run` the experiment's `schedule` section decides instead.
    samples, tokens: how many a batch has, or a function of the batch. Default for samples: what the DataLoader's batch
        sampler dealt out, else the first dimension that all tensors of the batch have; where they disagree there is no
        rate, and a note says why.
    results: folder for the result file of a script that is run alone; None: no file.
    """
    _refuse_where_spawned()
    refuse_what_has_no_batches(loader)
    if not NAME.fullmatch(name):
        raise ValueError(f"measure(name={name!r}): a name takes letters, digits, '-', '_' and '.', 40 at most")
    told = _session()
    told.end_script_where_over()
    return Measured(loader, told, Schedule(wait, warmup, active, repeat), name,
                    None if samples is None else _counter(samples), None if tokens is None else _counter(tokens), results)


NAME = re.compile(r"[\w.-]{0,40}", re.ASCII)


class Steps:
    """For a loop that a framework runs: its callback says where steps begin and end. The arguments are those of
    measure(); epoch_steps: batches of an epoch, where that is known.

        steps = Steps()
        steps.begin()              # the wait for the first batch begins
        steps.fetched()            # the batch is there
        done = not steps.end(64)   # of 64 samples; the next wait begins
        steps.leave()              # validation: no part of a step; begin() goes on
    """

    def __init__(self, *, wait: int = 1, warmup: int = 10, active: int = 50, repeat: int = 1, epoch_steps: int = 0,
                 name: str = "", results: str | None = "results") -> None:
        told = _session()
        self._told = told
        loop = told.open(Schedule(wait, warmup, active, repeat), name, results)
        if loop is None:  # another one is measured
            loop = Loop(Schedule(), Session())
            loop.done = True
        self._loop = loop
        self._loop.know_epoch(epoch_steps)
        self._begun = self._entered = False
        self._ended: dict[str, int] = {}  # what was used when the wait for a batch began

    @property
    def done(self) -> bool:
        return self._loop.done

    def count(self, batch: Any, batch_size: int | None = None) -> int:
        """Samples of a batch, as measure() counts those of an iterable; batch_size: of full batches."""
        if self._loop.counter is None:
            self._loop.counter = SampleCounter(batch_size or 0)
        return self._loop.counter(batch)

    def begin(self) -> None:
        self._loop.go_on()
        self._ended = self._loop.usage_now()
        self._begun = not self.done and self._loop.begin_step()

    def fetched(self, first_of_epoch: bool = False) -> None:
        if not self._begun and not self.done:
            self.begin()
        if self._begun:
            self._loop.fetched(EPOCH if first_of_epoch else 0)
            self._entered = True

    def end(self, samples: int = 0, tokens: int = 0) -> bool:
        """False: the schedule has ended."""
        if not self._entered:
            return not self.done
        self._entered = False
        self._loop.end_step(samples, tokens)
        self._ended = self._loop.usage_now()
        self._begun = self._loop.begin_step()
        if not self._begun:
            self._loop.finish()
            self._told.left(self._loop)
        return self._begun

    def leave(self, over: bool = False) -> None:
        """over: what is no part of a step has been going on since the last one's end, and is over."""
        if self._entered:
            self._loop.leave()  # in the middle of a step: its cycle begins anew
        elif self._begun:
            self._loop.pause(self._ended if over else None)
        self._begun = self._entered = False


def _refuse_where_spawned() -> None:
    """A process that is spawned runs the script's file before its own work: what is not guarded begins there, too."""
    processes = sys.modules.get("multiprocessing.process")
    if processes is not None and getattr(processes.current_process(), "_inheriting", False):
        raise LoopError("measure() begins in a process that the script spawned, which runs the script's file again: put what "
                        'the script does under `if __name__ == "__main__":`')


def _session() -> Session:
    told = session.current()
    if told is None:
        own_ranks.refuse()
        from .alone import Alone  # where nobody has said otherwise: a script that runs alone
        told = Alone()
        session.use(told)
    return told


def report(*, loss: Any = None, gradient_norm: Any = None) -> None:
    """Keeps the last step's loss, and the norm of its gradients: two runs that measure the same work agree in them.
    Takes numbers or tensors; a tensor is read after the last step, not before."""
    told = session.current()
    loop = told.loop if told is not None else None
    if loop is None:
        return
    for name, value in (("loss", loss), ("gradient_norm", gradient_norm)):
        if value is not None:
            setattr(loop, name, value.detach() if hasattr(value, "detach") else value)
