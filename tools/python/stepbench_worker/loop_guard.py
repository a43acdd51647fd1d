# SPDX-License-Identifier: Apache-2.0
"""Allows one loop at a time: a loop inside another, or on another thread, would be counted into its steps."""
from __future__ import annotations

import inspect
import os
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import Protocol

from .source import LoopError

HERE = str(Path(__file__).parent)


class Loop(Protocol):
    def disown(self, why: LoopError | bool) -> None: ...


class Turn:
    """The loop being measured. Remembers frames by id: a reference would keep a loop alive that the script has left."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.thread = threading.current_thread().name
        self._thread_id = threading.get_ident()
        frame = _caller()
        self.place = f"{Path(frame.f_code.co_filename).name}, line {frame.f_lineno}" if frame else "unknown"
        while frame is not None and frame.f_code.co_flags & inspect.CO_GENERATOR and frame.f_back is not None:
            frame = frame.f_back  # a progress bar's frame is not on the stack while the script computes
        self._frame: tuple[int, CodeType | None] = (id(frame), frame.f_code if frame else None)

    def refuse(self) -> LoopError | None:
        """Returns why no other loop can begin now; None: this loop was left, although its iterator is alive."""
        where = f"the loop over measure() at {self.place}"
        if self._thread_id != threading.get_ident():
            return LoopError(f"measure() begins in the thread {threading.current_thread().name} while {where} runs in "
                             f"{self.thread}: one loop is measured at a time")
        frame = _caller()
        place = f"{Path(frame.f_code.co_filename).name}, line {frame.f_lineno}" if frame else "unknown"
        while frame is not None:
            if (id(frame), frame.f_code) == self._frame:
                return LoopError(f"measure() at {place} begins inside {where}: loops do not nest; measure one of the two, "
                                 "or close the iterator of the first")
            frame = frame.f_back
        return None


_open: Turn | None = None


def begin(loop: Loop) -> None:
    """Raises LoopError if another loop is running."""
    global _open
    if _open is not None:
        why = _open.refuse()
        if why is not None:
            raise why
        _open.loop.disown(LoopError(f"the loop over measure() at {_open.place} was left for another one, and cannot go on"))
    _open = Turn(loop)


def end(loop: Loop) -> None:
    global _open
    if _open is not None and _open.loop is loop:
        _open = None


def _in_child() -> None:
    global _open
    if _open is not None:
        _open.loop.disown(True)
    _open = None


os.register_at_fork(after_in_child=_in_child)


def _caller() -> FrameType | None:
    """Returns the first frame outside of this package."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(HERE):
        frame = frame.f_back
    return frame
