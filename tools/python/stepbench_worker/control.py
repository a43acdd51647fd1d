# SPDX-License-Identifier: Apache-2.0
"""The socket to `stepbench run`: lines of JSON, as specified in PROTOCOL.md."""
from __future__ import annotations

import json
import os
import socket
from typing import Any

MAX_STEPS = 16_384  # per message of samples


class Control:
    def __init__(self, descriptor: int) -> None:
        self._socket = socket.socket(fileno=descriptor)
        self._socket.set_inheritable(False)
        os.register_at_fork(after_in_child=self._socket.close)

    def read_case(self) -> dict[str, Any]:
        line = bytearray()
        while not line.endswith(b"\n"):
            part = self._socket.recv(65536)
            if not part:
                raise SystemExit("stepbench_worker: the other end was closed before a case came")
            line += part
        case: dict[str, Any] = json.loads(line)
        return case

    def wait_for_end(self) -> None:
        """Waits until the other end is closed: then all ranks have ended and none communicates with this one any
        more."""
        while self._socket.recv(65536):
            pass

    def send(self, kind: str, **fields: Any) -> None:
        self._socket.sendall(json.dumps({"kind": kind, **fields}).encode() + b"\n")

    def send_samples(self, cycle: int, columns: dict[str, list[int]]) -> None:
        steps = len(columns["index"])
        for first in range(0, steps, MAX_STEPS):
            values = [column[first:first + MAX_STEPS] for column in columns.values()]
            self.send("samples", cycle=cycle, steps=len(values[0]), columns=list(columns), values=values)
