# SPDX-License-Identifier: Apache-2.0
"""The parts of a step that a script marks, and the sums of their times.

Only the thread that runs the loop of measure() counts; on other threads, in worker processes and outside of a measured
step a phase costs a dictionary look-up and has no effect.
"""
from __future__ import annotations

import difflib
import os
import re
from collections.abc import Sequence
from threading import get_ident
from time import monotonic_ns
from typing import Protocol

OWN_NAME = re.compile(r"(?!.*_(ns|bytes|device)$)[a-z][a-z0-9_]{0,39}")
MOST_OWN = 16
# Names as in `stepbench list`. measure() itself marks `data_wait`; `other` is the rest of a step.
NAMES = ("h2d", "zero_grad", "forward", "loss", "backward", "grad_sync", "optimizer", "augment", "metrics",
         "clip_grad", "lr_scheduler", "ema", "checkpoint")
_all: list[str] = list(NAMES)  # and the script's own, in the order of their first use


def own_names() -> list[str]:
    """Returns the phases that the script named itself."""
    return _all[len(NAMES):]


class Listener(Protocol):
    """Receives the begin and end of phases; `slot`: index in `names`."""

    def begin_phase(self, slot: int) -> None: ...
    def end_phase(self, slot: int) -> None: ...


class PhaseTimes:
    """Time of each phase in the current step, in the order of `names`, to which the script's own phases may be
    appended. `listener`, or None, is called when phases begin and end."""

    def __init__(self, names: Sequence[str] = _all) -> None:
        self.names = names
        self.spent = [0] * len(names)
        self.listener: Listener | None = None
        self._open = -1
        self._entered = 0
        self._thread = get_ident()

    def reset(self) -> None:
        """Call when a step begins."""
        self.spent = [0] * len(self.names)

    def of_this_thread(self) -> None:
        """Call on the thread that runs the loop."""
        self._thread = get_ident()
        self._open = -1

    def enter(self, slot: int) -> None:
        if get_ident() != self._thread:
            return
        if self._open >= 0:
            raise self._nested(slot)
        self._open = slot
        if self.listener is not None:
            self.listener.begin_phase(slot)
        self._entered = monotonic_ns()

    def leave(self, slot: int) -> None:
        now = monotonic_ns()
        if self._open != slot or get_ident() != self._thread:
            return
        if slot >= len(self.spent):  # first used in this step
            self.spent += [0] * (slot + 1 - len(self.spent))
        self.spent[slot] += now - self._entered
        self._open = -1
        if self.listener is not None:
            self.listener.end_phase(slot)

    def enter_wait(self) -> None:
        """Marks data_wait, whose time the loop itself measures."""
        if self._open >= 0:
            raise self._nested(len(self.names))
        self._open = len(self.names)

    def leave_wait(self) -> None:
        self._open = -1

    def _nested(self, slot: int) -> RuntimeError:
        inner, outer = ((*self.names, "data_wait")[each] for each in (slot, self._open))
        return RuntimeError(f'phase("{inner}") begins inside phase("{outer}"): phases do not nest; end one before the '
                            "next begins")


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
    """Sets where phases are summed from now on."""
    global _current
    _current = times


os.register_at_fork(after_in_child=lambda: use(None))


def phase(name: str) -> _Phase:
    """A part of the step: `with phase("forward"): ...`. May occur several times in a step; phases do not nest. Other
    names define your own phases: lowercase letters, digits and underscores."""
    found = _phases.get(name)
    return found if found is not None else _own(name)


def _own(name: str) -> _Phase:
    if name in ("data_wait", "other", "step", "epoch_wait"):
        raise ValueError(f'phase("{name}") is marked by measure() itself: give it a name of your own, as in '
                         'phase("get_batch"), or give measure() a generator that yields the batches')
    if not isinstance(name, str) or not OWN_NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a phase name: small letters, digits and underscores, a letter first, "
                         "and no unit at its end")
    near = difflib.get_close_matches(name, NAMES, 1, 0.8)
    if near and not name.startswith(near[0]) and not name.endswith(near[0]):
        raise ValueError(f'there is no phase "{name}"; did you mean "{near[0]}"? A name of your own must not look like '
                         f'one of {", ".join(NAMES)}')
    if len(_all) - len(NAMES) >= MOST_OWN:
        raise ValueError(f'phase("{name}") is one too many: a script has {MOST_OWN} phases of its own at most')
    _all.append(name)
    return _phases.setdefault(name, _Phase(len(_all) - 1))
