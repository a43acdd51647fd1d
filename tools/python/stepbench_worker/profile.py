# SPDX-License-Identifier: Apache-2.0
"""Runs torch.profiler around one window and writes the trace from which `stepbench run` makes the table of
operations."""
from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_WARMUP = 10  # steps with the profiler on before the window, for its one-time work


@dataclass(frozen=True)
class Wanted:
    """Settings of a profiled launch: what it records, and where it writes its trace."""

    folder: Path
    name: str  # unique per launch and rank
    shapes: bool = True
    memory: bool = True
    suffix: str = ".pt.trace.json.gz"


class OpRecorder:
    """Records the operations of one window. The trace has steps and phases as ProfilerStep#N and stepbench::PHASE."""

    def __init__(self, wanted: Wanted, names: Sequence[str]) -> None:
        self._wanted = wanted
        self._names = names
        self._profiler: Any = None
        self._step: Any = None
        self._phase: Any = None
        self.saved: Path | None = None
        self.missing = ""

    def prepare(self) -> None:
        """Call in the warm-up. Sets `missing` to the reason if nothing can be recorded."""
        if self._profiler is not None:
            return
        torch = sys.modules.get("torch")
        if torch is None:
            self.missing = "operations were not recorded: nothing has imported torch before the window"
            return
        from torch import profiler

        kinds = [profiler.ProfilerActivity.CPU]
        if torch.cuda.is_initialized():
            kinds.append(profiler.ProfilerActivity.CUDA)
        self.missing = ""
        self._profiler = profiler.profile(activities=kinds, record_shapes=self._wanted.shapes,
                                          profile_memory=self._wanted.memory)
        self._annotate = profiler.record_function
        self._profiler.prepare_trace()

    def begin(self) -> None:
        self.prepare()
        if self._profiler is not None:
            self._profiler.start_trace()

    def begin_step(self, index: int) -> None:
        self._step = self._enter(f"ProfilerStep#{index}")

    def end_step(self) -> None:
        _leave(self._step)
        self._step = None

    def begin_wait(self) -> None:
        self._phase = self._enter("stepbench::data_wait")

    def begin_phase(self, slot: int) -> None:
        self._phase = self._enter("stepbench::" + self._names[slot])

    def end_phase(self, slot: int = 0) -> None:
        _leave(self._phase)
        self._phase = None

    def _enter(self, name: str) -> Any:
        if self._profiler is None:
            return None
        annotation: Any = self._annotate(name)
        annotation.__enter__()
        return annotation

    def leave(self) -> None:
        """Call when the window is left before its end: discards it and restarts the profiler."""
        self.end_phase()
        self.end_step()
        if self._profiler is not None:
            self._profiler.stop_trace()
            self._profiler = None

    def end(self) -> None:
        """Call after the device has finished the window's work."""
        if self._profiler is not None:
            self._profiler.stop_trace()

    def save(self) -> None:
        """Call after all windows. Writes the file atomically."""
        if self._profiler is None:
            return
        wanted, self._profiler, profiler = self._wanted, None, self._profiler
        wanted.folder.mkdir(parents=True, exist_ok=True)
        file = wanted.folder / f"{wanted.name}.{time.time_ns() // 1_000_000}{wanted.suffix}"
        unfinished = file.with_name("." + file.name)  # keeps the suffix, which selects compression
        profiler.export_chrome_trace(str(unfinished))
        os.replace(unfinished, file)
        self.saved = file


def _leave(annotation: Any) -> None:
    if annotation is not None:
        annotation.__exit__(None, None, None)
