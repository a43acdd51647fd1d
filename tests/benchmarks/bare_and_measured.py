# SPDX-License-Identifier: Apache-2.0
"""A step for `workload: python_step`, run in turn by the harness and by a bare loop in the same process. Writes the
CPU time per step of both in nanoseconds, block by block, to python.out for python_step_against_bare.py."""
import json
import time

import torch
from torch import nn

BLOCK = 20
PHASES = 20000


class Both:
    def __init__(self, out, width):
        self.out = out
        self.model = nn.Sequential(nn.Linear(256, width), nn.ReLU(), nn.Linear(width, 10))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.001)
        self.loss = nn.CrossEntropyLoss()
        self.x, self.y = torch.rand(64, 256), torch.randint(10, (64,))
        self.calls = 0
        self.began = 0
        self.pairs = []
        self.phase_ns = []

    def plain(self):
        self.optimizer.zero_grad()
        loss = self.loss(self.model(self.x), self.y)
        loss.backward()
        self.optimizer.step()

    def step(self, record):
        if self.calls % (BLOCK + 1) == BLOCK:
            measured = time.thread_time_ns() - self.began
            self.pairs.append((measured / BLOCK, self.bare_block()))
            self.time_phases(record)
            self.began = 0
        self.calls += 1
        if self.calls % (BLOCK + 1) == 0:
            return 0
        if not self.began:
            self.began = time.thread_time_ns()
        with record.phase("zero_grad"):
            self.optimizer.zero_grad()
        with record.phase("forward"):
            output = self.model(self.x)
        with record.phase("loss"):
            loss = self.loss(output, self.y)
        with record.phase("backward"):
            loss.backward()
        with record.phase("optimizer"):
            self.optimizer.step()
        return 64

    def bare_block(self):
        began = time.thread_time_ns()
        for _ in range(BLOCK):
            self.plain()
        return (time.thread_time_ns() - began) / BLOCK

    def time_phases(self, record):
        if len(self.phase_ns) == 20:
            return
        began = time.thread_time_ns()
        for _ in range(PHASES):
            with record.phase("metrics"):
                pass
        self.phase_ns.append((time.thread_time_ns() - began) / PHASES)

    def tear_down(self):
        with open(self.out, "w", encoding="utf-8") as file:
            json.dump({"pairs": self.pairs[2:], "phase_ns": self.phase_ns}, file)


def make(out, width=2048):
    return Both(out, width)
