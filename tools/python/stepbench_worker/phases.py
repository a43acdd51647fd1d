# SPDX-License-Identifier: Apache-2.0
"""The parts of a step that a script marks, and where their time is added up.

Only the thread that runs the loop of measure() counts; on other threads, in worker processes and outside of a measured
step a phase costs a dictionary look-up and has no effect.
"""
from __future__ import annotations

import difflib
import os
from threading import get_ident
from time import monotonic_ns

# As `stepbench list` has them. `data_wait` is marked by measure() itself, `other` is the rest of a step.
NAMES = ("h2d", "zero_grad", "forward", "loss", "backward", "grad_sync", "optimizer", "augment", "metrics")


class PhaseTimes:
    """Time of each phase in the current step, in the order of `names`; `listener` is told where phases begin and end, or
    is None."""

    def __init__(self, names: tuple[str, ...] = NAMES) -> None:
        self.names = names
        self.spent = [0] * len(names)
        self.listener = None
        self._open = -1
        self._entered = 0
        self._thread = get_ident()

    def reset(self) -> None:
        self.spent = [0] * len(self.names)

    def enter(self, slot: int) -> None:
        if get_ident() != self._thread:
            return
        self._open_one(slot)
        if self.listener is not None:
            self.listener.begin_phase(slot)
        self._entered = monotonic_ns()

    def leave(self, slot: int) -> None:
        if self._open != slot or get_ident() != self._thread:
            return
        self.spent[slot] += monotonic_ns() - self._entered
        self._open = -1
        if self.listener is not None:
            self.listener.end_phase(slot)

    def enter_wait(self) -> None:
        """data_wait, which the loop itself counts."""
        self._open_one(len(self.names))

    def leave_wait(self) -> None:
        self._open = -1

    def _open_one(self, slot: int) -> None:
        if self._open >= 0:
            inner, outer = ((*self.names, "data_wait")[each] for each in (slot, self._open))
            raise RuntimeError(f'phase("{inner}") begins inside phase("{outer}"): phases do not nest; end one before the '
                               "next begins")
        self._open = slot


class _Phase:
    __slots__ = ("_slot",)

    def __init__(self, slot: int) -> None:
        self._slot = slot

    def __enter__(self) -> None:
        if _current is not None:
            _current.enter(self._slot)

    def __exit__(self, *_: object) -> None:
        if _current is not None:
            _current.leave(self._slot)


_current: PhaseTimes | None = None
_phases = {name: _Phase(slot) for slot, name in enumerate(NAMES)}


def use(times: PhaseTimes | None) -> None:
    """Where phases are added up from now on."""
    global _current
    _current = times


os.register_at_fork(after_in_child=lambda: use(None))


def phase(name: str) -> _Phase:
    """A part of the step: `with phase("forward"): ...`. May come several times in a step; phases do not nest."""
    found = _phases.get(name)
    if found is not None:
        return found
    if name == "data_wait":
        raise ValueError('phase("data_wait") is marked by measure() itself: the time until the loader has a batch')
    near = difflib.get_close_matches(str(name), NAMES, 1)
    hint = f'; did you mean "{near[0]}"?' if near else ""
    raise ValueError(f'there is no phase "{name}"{hint} Phases are: {", ".join(NAMES)}')
