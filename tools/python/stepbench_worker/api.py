# SPDX-License-Identifier: Apache-2.0
"""The API of scripts: measure() around the loader, Steps if a framework runs the loop, report() for the loss."""
from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from . import session
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
    """Returns an iterable over the batches of `loader` that measures the steps of a schedule; a step lasts from one
    batch to the next. The time until the loader has a batch is the phase `data_wait`. After the loop, the returned
    object has the results: steps, phases, summary(), to_pandas().

    The loader restarts as often as the schedule needs. After the schedule the loop continues to the end of the loader's
    epoch; under `stepbench run` it ends, and the script ends at its next loop.

    name: distinguishes several loops of a script; `stepbench run` measures each in separate processes.
    wait, warmup, active, repeat: cycles of discarded, warm-up and measured steps. Under `stepbench run` the
        experiment's `schedule` section overrides them.
    samples, tokens: number per batch, or a function of the batch. Default for samples: the size that the DataLoader's
        batch sampler dealt, else the first dimension common to all tensors of the batch; if they differ there is no
        rate, and a note gives the reason.
    results: folder for the result file of a script that runs alone; None: no file.
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
    """For a loop that a framework runs: its callback reports where steps begin and end. The arguments are those of
    measure(); epoch_steps: batches per epoch, if known.

        steps = Steps()
        steps.begin()              # the wait for the first batch begins
        steps.fetched()            # the batch is ready
        done = not steps.end(64)   # after 64 samples; the next wait begins
        steps.leave()              # e.g. validation, not part of a step; begin() continues
    """

    def __init__(self, *, wait: int = 1, warmup: int = 10, active: int = 50, repeat: int = 1, epoch_steps: int = 0,
                 name: str = "", results: str | None = "results") -> None:
        told = _session()
        self._told = told
        loop = told.open(Schedule(wait, warmup, active, repeat), name, results)
        if loop is None:  # another loop is measured
            loop = Loop(Schedule(), Session())
            loop.done = True
        self._loop = loop
        self._loop.know_epoch(epoch_steps)
        self._begun = self._entered = False
        self._ended: dict[str, int] = {}  # usage when the wait for a batch began

    @property
    def done(self) -> bool:
        return self._loop.done

    def count(self, batch: Any, batch_size: int | None = None) -> int:
        """Counts the samples of a batch like measure(); batch_size: of full batches."""
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
        """Returns False when the schedule has ended."""
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
        """over: the pause began at the end of the last step and is already over."""
        if self._entered:
            self._loop.leave()  # in the middle of a step: restart its cycle
        elif self._begun:
            self._loop.pause(self._ended if over else None)
        self._begun = self._entered = False


def _refuse_where_spawned() -> None:
    """A spawned process runs the script's file before its own work, so unguarded code begins a loop there too."""
    processes = sys.modules.get("multiprocessing.process")
    if processes is not None and getattr(processes.current_process(), "_inheriting", False):
        raise LoopError("measure() begins in a process that the script spawned, which runs the script's file again: put what "
                        'the script does under `if __name__ == "__main__":`')


def _session() -> Session:
    told = session.current()
    if told is None:
        from .standalone_run import StandaloneRun  # default: a script that runs alone
        told = StandaloneRun()
        session.use(told)
    return told


def report(*, loss: Any = None, gradient_norm: Any = None) -> None:
    """Records the last step's loss and gradient norm: two runs that do the same work agree in them. Takes numbers or
    tensors; a tensor is read only after the last step."""
    told = session.current()
    loop = told.loop if told is not None else None
    if loop is None:
        return
    for name, value in (("loss", loss), ("gradient_norm", gradient_norm)):
        if value is not None:
            setattr(loop, name, value.detach() if hasattr(value, "detach") else value)
