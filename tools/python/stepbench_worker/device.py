# SPDX-License-Identifier: Apache-2.0
"""The device's clock: CUDA events on the compute stream, read after the window. Nothing waits for the device inside a
window."""
from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any


def cuda_of_script() -> Any:
    """Returns torch.cuda if the script already uses it, else None. Never imports torch or initialises CUDA."""
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    return cuda if cuda is not None and cuda.is_initialized() else None


def pci_of_script() -> str:
    """Returns the current device as "0000:17:00.0", by NVIDIA's driver; empty: none, or unknown."""
    cuda, ctypes = cuda_of_script(), sys.modules.get("ctypes")
    if cuda is None or ctypes is None:
        return ""
    device, text = ctypes.c_int(), ctypes.create_string_buffer(16)
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        known = (driver.cuDeviceGet(ctypes.byref(device), cuda.current_device()) == 0
                 and driver.cuDeviceGetPCIBusId(text, len(text), device) == 0)
    except (OSError, AttributeError):
        return ""
    return text.value.decode("ascii") if known else ""


class CudaWindow:
    """The events of one window, on the stream that was current when the window began."""

    def __init__(self, cuda: Any, names: Sequence[str]) -> None:
        self._cuda = cuda
        self._names = names
        self._stream = cuda.current_stream()
        self._begins = [self._mark()]
        self._ends: list[Any] = []
        self._phases: list[list[tuple[int, Any, Any]]] = [[]]
        self._begin: Any = None

    def _mark(self) -> Any:
        event = self._cuda.Event(enable_timing=True)
        event.record(self._stream)
        return event

    def begin_phase(self, slot: int) -> None:
        self._begin = self._mark()

    def end_phase(self, slot: int) -> None:
        if self._begin is not None:
            self._phases[-1].append((slot, self._begin, self._mark()))
            self._begin = None

    def end_step(self) -> None:
        self._ends.append(self._mark())
        self._begins.append(self._ends[-1])
        self._phases.append([])

    def go_on(self) -> None:
        """Excludes the stream's work since the last step's end from the next step."""
        self._begins[-1] = self._mark()

    def columns(self) -> dict[str, list[int]]:
        """Call after the device has finished the window's work. Returns periods, their parts, and the rest; they add up
        exactly."""
        steps = range(len(self._ends))
        slots = sorted({slot for step in self._phases for slot, _, _ in step})
        parts = {slot: [0] * len(steps) for slot in slots}
        for i in steps:
            for slot, begin, end in self._phases[i]:
                parts[slot][i] += _between_ns(begin, end)
        sums = [sum(parts[slot][i] for slot in slots) for i in steps]
        # Values are rounded separately; keep the whole at least the sum of its parts.
        periods = [max(_between_ns(self._begins[i], self._ends[i]), sums[i]) for i in steps]
        columns = {"period_device_ns": periods}
        columns.update({f"{self._names[slot]}_device_ns": values for slot, values in parts.items()})
        columns["other_device_ns"] = [period - part for period, part in zip(periods, sums)]
        return columns


def _between_ns(begin: Any, end: Any) -> int:
    return max(round(float(begin.elapsed_time(end)) * 1e6), 0)
