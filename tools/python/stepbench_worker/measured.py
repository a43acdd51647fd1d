# SPDX-License-Identifier: Apache-2.0
"""The result of measure(): iterates over the loader's batches, and afterwards has the times of the steps."""
from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Generic, TypeVar

from . import loop_guard
from .batch import SampleCounter
from .loop import Loop, Session
from .schedule import Schedule
from .source import LoopError
from .summary import parts_of, summary

Batch = TypeVar("Batch")


class Measured(Generic[Batch]):
    """Iterate over it like over the loader. Every iteration is a new measurement."""

    def __init__(self, loader: Iterable[Batch], told: Session, schedule: Schedule, name: str,
                 samples: Callable[[Batch], int] | None, tokens: Callable[[Batch], int] | None, results: str | None) -> None:
        self.name = name
        self._loader = loader
        self._told = told
        self._schedule = schedule
        self._counters = samples, tokens
        self._results = results
        self._loop: Loop | None = None

    def __len__(self) -> int:
        """The loader's length."""
        try:
            return len(self._loader)  # type: ignore[arg-type]
        except NotImplementedError as error:  # list() and progress bars treat TypeError as "unknown"
            raise TypeError(f"the loader's length is not known: {error}") from error

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Batch]:
        self._told.end_script_where_over()
        loop = self._told.open(self._schedule, self.name, self._results)
        if loop is None:
            return islice(self._loader, self._told.most_steps(self._schedule))
        self._loop = loop
        samples, tokens = self._counters
        return loop.batches(self._loader, SampleCounter() if samples is None else samples, tokens)

    @property
    def steps(self) -> dict[str, list[int]]:
        """The measured steps by column, as in a result file: `step_ns`, `data_wait_ns`, `forward_ns`, … and `cycle`,
        the number of the window. Empty: nothing was measured; summary() gives the reason."""
        cycles = self._loop.cycles if self._loop is not None else []
        steps: dict[str, list[int]] = {}
        for name in dict.fromkeys(column for cycle in cycles for column in cycle):
            steps[name] = [value for cycle in cycles for value in cycle.get(name, [0] * len(cycle["index"]))]
        if steps:
            steps["cycle"] = [number for number, cycle in enumerate(cycles) for _ in cycle["index"]]
        return steps

    @property
    def step_ns(self) -> float:
        """Mean over all measured steps; nan: nothing was measured."""
        return parts_of(self._loop.cycles)["step"] if self._loop is not None and self._loop.cycles else float("nan")

    @property
    def phases(self) -> dict[str, float]:
        """Mean time of each part of a step in nanoseconds; they add up to `step_ns`. On CUDA they are device times, and
        `data_wait` is additional, by the host's clock."""
        parts = parts_of(self._loop.cycles) if self._loop is not None and self._loop.cycles else {}
        return {name: value for name, value in parts.items() if name not in ("step", "samples")}

    def summary(self) -> str:
        """Returns a table of a step's parts."""
        if self._loop is not None and self._loop.cycles:
            return summary(self._loop)
        return f"{self.name or 'measure()'}: {self.why}"

    @property
    def why(self) -> str:
        """The reason why nothing was measured."""
        if self._loop is None:
            return "nothing was measured: no loop has gone over it"
        return nothing_measured_reason(self._loop)

    def to_pandas(self) -> Any:
        """Returns a DataFrame with one row per measured step."""
        try:
            import pandas  # type: ignore[import-untyped,unused-ignore]
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError("to_pandas() needs pandas, which is not installed here; .steps has the same columns "
                                      "as lists") from error
        return pandas.DataFrame(self.steps)

    def __repr__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        """HTML table for notebooks."""
        title, *rows = self.summary().splitlines()
        cells = ((row.strip().split(None, 1) + [""])[:2] for row in rows)
        body = "".join(f"<tr><td>{html.escape(part)}</td><td>{html.escape(value.strip())}</td></tr>" for part, value in cells)
        return f"<table><caption>{html.escape(title)}</caption>{body}</table>"


def nothing_measured_reason(loop: Loop) -> str:
    return (f"nothing was measured: {loop.why or 'the loop has not ended'}, after {loop.steps} steps; the schedule needs "
            f"{loop.planned_steps} in one loop, wait and warm-up included: measure(..., warmup=, active=) makes it shorter")


def refuse_what_has_no_batches(loader: Any) -> None:
    try:
        goes = hasattr(loader, "__iter__") or hasattr(type(loader), "__getitem__")
    except Exception as error:  # raised by a loader's own __getattr__
        raise LoopError(f"the loader cannot be asked for its batches: {error}") from error
    if not goes:
        raise TypeError(f"measure() takes what a for loop goes over, as a DataLoader or a list; {loader!r:.60} is of type "
                        f"{type(loader).__name__}")
