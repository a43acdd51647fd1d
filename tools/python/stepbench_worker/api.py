# SPDX-License-Identifier: Apache-2.0
"""What a script calls: measure() around its loader, Steps where a framework runs the loop, report() for its loss."""
from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from . import session
from .batch import samples_of
from .loop import Loop
from .schedule import Schedule
from .window import EPOCH

Batch = TypeVar("Batch")


def _counter(value: Callable[[Batch], int] | int) -> Callable[[Batch], int]:
    return value if callable(value) else lambda _: value


def measure(loader: Iterable[Batch], *, wait: int = 1, warmup: int = 10, active: int = 50, repeat: int = 1,
            samples: Callable[[Batch], int] | int = samples_of, tokens: Callable[[Batch], int] | int | None = None,
            results: str = "results") -> Iterator[Batch]:
    """The batches of `loader`, epoch after epoch, until the schedule has ended; a step is all from one batch to the
    next. The time until the loader has a batch is the step's phase `data_wait`.

    wait, warmup, active, repeat: cycles of steps of which nothing is kept, of warm-up and measured ones. Under
    `stepbench run` the experiment's `schedule` section decides instead.
    samples, tokens: how many a batch has, or a function of the batch. Default: the first dimension of its first tensor.
    results: folder for the result file of a script that is run alone.
    """
    loop = _loop(Schedule(wait, warmup, active, repeat), results)
    if loop.done:
        print("stepbench_worker: the schedule has ended, and the script with it", file=sys.stderr)
        raise SystemExit(0)
    return loop.batches(loader, _counter(samples), None if tokens is None else _counter(tokens))


class Steps:
    """For a loop that a framework runs: its callback says where steps begin and end. The arguments are those of
    measure(); epoch_steps: batches of an epoch, where that is known.

        steps = Steps()
        steps.begin()              # the wait for the first batch begins
        steps.fetched()            # the batch is there
        done = not steps.end(64)   # of 64 samples; the next wait begins
        steps.leave()              # validation: no part of a step
    """

    def __init__(self, *, wait: int = 1, warmup: int = 10, active: int = 50, repeat: int = 1, epoch_steps: int = 0,
                 results: str = "results") -> None:
        self._loop = _loop(Schedule(wait, warmup, active, repeat), results)
        self._loop.know_epoch(epoch_steps)
        self._begun = self._entered = False

    @property
    def done(self) -> bool:
        return self._loop.done

    def begin(self) -> None:
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
        self._begun = self._loop.begin_step()
        if not self._begun:
            self._loop.finish()
        return self._begun

    def leave(self) -> None:
        if self._begun:
            self._loop.leave()
        self._begun = self._entered = False


def _loop(schedule: Schedule, results: str) -> Loop:
    told = session.current()
    if told is None:
        from .alone import Alone  # where nobody has said otherwise: a script that runs alone
        told = Alone()
        session.use(told)
    if told.loop is None:
        told.results = results
        told.loop = Loop(told.schedule or schedule, told)
    return told.loop


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
