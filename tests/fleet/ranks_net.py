# SPDX-License-Identifier: Apache-2.0
"""A model that sleeps `ms` in the forward pass of rank 1, as a plant in stepbench's own training step."""
import os
import time

from torch import nn


class Net(nn.Module):
    def __init__(self, ms):
        super().__init__()
        self.ms = ms if os.environ.get("RANK") == "1" else 0
        self.layers = nn.Sequential(nn.Flatten(), nn.Linear(3 * 32 * 32, 32), nn.ReLU(), nn.Linear(32, 10))

    def forward(self, images):
        time.sleep(self.ms / 1000)
        return self.layers(images)


def model(ms=0):
    return Net(ms)
