# SPDX-License-Identifier: Apache-2.0
"""The memory that the process holds: without what glibc's heap keeps free for later, which rises and falls over a
hundred steps and more as the heap becomes scattered."""
from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

_FIELDS = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")


class HeldMemory:
    """Accumulates the growth over windows. `growth`: None: unknown."""

    def __init__(self) -> None:
        self.growth: int | None = None
        self._before: int | None = None
        self._known = True

    def begin(self) -> None:
        self._before = held_bytes()

    def end(self) -> None:
        now = held_bytes()
        if self._known and now is not None and self._before is not None:
            self.growth = (self.growth or 0) + now - self._before

    def forget(self) -> None:
        """Something else grew since begin(): it stays unknown."""
        self.growth, self._known = None, False


def held_bytes() -> int | None:
    """None: unknown, e.g. before anything has imported ctypes, as torch and numpy do."""
    ctypes: Any = sys.modules.get("ctypes")
    if ctypes is None:
        return None
    info = type("Info", (ctypes.Structure,), {"_fields_": [(name, ctypes.c_size_t) for name in _FIELDS]})
    try:
        call = ctypes.CDLL(None).mallinfo2
        call.restype = info
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines())
        resident = sum(int(status[name].split()[0]) for name in ("RssAnon", "RssShmem"))
    except (OSError, AttributeError, KeyError, ValueError):
        return None
    return resident * 1024 - int(call().fordblks)
