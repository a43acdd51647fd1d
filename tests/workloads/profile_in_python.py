# SPDX-License-Identifier: Apache-2.0
"""Saves a TorchScript model as FILE, profiles it with torch.profiler, forward and backward, and prints a line per
operation and shapes: "op name[[8, 32], []]: 1 calls, 0 B". profile_in_python.py FILE.

Left out: the calls of TorchScript methods, which Python's profiler lists under the method's name, and frees outside all
operations, which depend on what was allocated before."""
import sys

import torch
from torch import nn


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, stride=2)
        self.norm = nn.BatchNorm2d(4)
        self.head = nn.Linear(4 * 7 * 7, 10)

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x)))
        return torch.log_softmax(self.head(torch.cat([x, x]).flatten(1)), 1)


def forget_gradients(model):
    for parameter in model.parameters():
        parameter.grad = None


torch.set_num_threads(1)
script = torch.jit.script(Small())
script.save(sys.argv[1])
model = torch.jit.load(sys.argv[1])
images = torch.ones(2, 3, 16, 16)
gradient = torch.ones(())  # Python and C++ make their own in different ways
for _ in range(4):
    forget_gradients(model)
    loss = model(images).mean()
    loss.backward(gradient)
forget_gradients(model)
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True,
                            profile_memory=True) as profiler:
    out = model(images)
    loss = out.mean()
    loss.backward(gradient)
for row in profiler.key_averages(group_by_input_shape=True):
    if row.key not in ("forward", "<forward op>", "<backward op>", "[memory]"):
        print(f"op {row.key}{row.input_shapes}: {row.count} calls, {row.cpu_memory_usage} B")
