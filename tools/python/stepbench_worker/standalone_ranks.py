# SPDX-License-Identifier: Apache-2.0
"""A script that torchrun, srun or mpirun started several times, without `stepbench run`: each rank's measurements reach
rank 0 through the store of torch.distributed, across machines. Nothing here is a collective: a missing rank delays the
others by at most PATIENCE_S."""
from __future__ import annotations

import base64
import json
import os
import sys
import time
import zlib
from typing import Any

from . import ranks

PATIENCE_S = 30.0  # for a rank that is in the loop
ABSENCE_S = 2.0  # for one that is not: the others' windows end almost together
POLL_S = 0.02


class StandaloneRanks:
    """The group of one loop. All ranks must open their loops in the same order."""

    def __init__(self, number: int) -> None:
        self.rank, self.world = ranks.place()
        self._prefix = f"stepbench/{os.environ.get('TORCHELASTIC_RESTART_COUNT', '0')}/{number}/"
        self._begun = False

    def begin(self) -> None:
        """Marks this rank as in the loop. May be called more than once, because a script may initialise its process
        group inside the loop."""
        if not self._begun and self.rank > 0 and (store := _store()) is not None:
            store.set(self._key("begun", self.rank), "1")
            self._begun = True

    def tell(self, message: dict[str, Any]) -> bool:
        """Sends a message to rank 0; returns False if there is no way to reach it."""
        if (store := _store()) is None:
            return False
        text = json.dumps(message, ensure_ascii=False).encode()
        store.set(self._key("told", self.rank), base64.b64encode(zlib.compress(text)).decode())
        return True

    def hear(self) -> tuple[list[dict[str, Any]], str]:
        """Call on rank 0. Returns the messages of all others in rank order; and why one is missing, or empty."""
        store = _store()
        if store is None:
            return [], "torch.distributed, through which they would tell it, is not initialized"
        heard: list[dict[str, Any]] = []
        began = time.monotonic()
        for rank in range(1, self.world):
            while not store.check([self._key("told", rank)]):
                waited = time.monotonic() - began
                if waited > ABSENCE_S and not store.check([self._key("begun", rank)]):
                    return [], f"rank {rank} runs no such loop over measure()"
                if waited > PATIENCE_S:
                    return [], f"rank {rank} did not end its schedule within {PATIENCE_S:.0f} s of rank 0"
                time.sleep(POLL_S)
            message = json.loads(zlib.decompress(base64.b64decode(store.get(self._key("told", rank)))))
            if message.get("why"):
                return [], f"rank {rank}: {message['why']}"
            heard.append(message)
        return heard, ""

    def _key(self, what: str, rank: int) -> str:
        return f"{self._prefix}{what}/{rank}"


def _store() -> Any:
    """Returns None if the script has not initialised its process group."""
    try:
        if ranks.group() is None:
            return None
        return sys.modules["torch"].distributed.distributed_c10d._get_default_store()
    except AttributeError:  # a torch without it
        return None
