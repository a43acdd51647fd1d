# SPDX-License-Identifier: Apache-2.0
"""Rejects a script that starts its own ranks under `stepbench run`: they would be measured separately, or not at
all."""
from __future__ import annotations

import contextlib
import os
import secrets
import socket

from . import ranks
from .source import LoopError

VARIABLE = "STEPBENCH_SCRIPT"  # inherited by the script's processes: the socket that they report to


def error(count: int) -> LoopError:
    """`count`: number of ranks; 0: unknown."""
    return LoopError(f"the script starts its own ranks: stepbench starts them by `stepbench run --ranks {count or 'N'} "
                     "--launcher torchrun ...`, and measures them as one group; the script then starts none, as under torchrun")


class Ear:
    """In the process that `stepbench run` started: receives reports of loops in processes that the script started."""

    def __init__(self) -> None:
        name = f"stepbench-{os.getpid()}-{secrets.token_hex(8)}"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind("\0" + name)
        self._socket.setblocking(False)
        os.environ[VARIABLE] = name

    def heard(self) -> LoopError | None:
        counts = []
        with contextlib.suppress(BlockingIOError):
            while True:
                counts.append(int(self._socket.recv(32)))
        return error(max(counts)) if counts else None


def refuse() -> None:
    """Call when a loop begins. Raises LoopError in a process started by a script under `stepbench run`; does nothing in
    other processes."""
    name = os.environ.get(VARIABLE)
    if not name:
        return
    count = ranks.place()[1]
    count = count if count > 1 else 0
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.setblocking(False)
        ear.sendto(str(count).encode(), "\0" + name)
    raise error(count)
