# SPDX-License-Identifier: Apache-2.0
"""Repeats ten updates of the C++ optimizers with Python's and prints the largest difference of the parameters, a line
per case: same_updates.py FILE CASE... with CASE = kind,implementation,momentum,nesterov,weight_decay.

FILE holds the parameters before all cases and after each, as float32."""
import sys

import numpy
import torch

SHAPES = [(1, 3), (5, 3), (64, 3)]
SIZES = [rows * columns for rows, columns in SHAPES]


def optimizer(parameters, kind, implementation, momentum, nesterov, weight_decay):
    how = {"foreach": implementation == "foreach", "fused": implementation == "fused"}
    if kind == "sgd":
        return torch.optim.SGD(parameters, lr=0.01, momentum=float(momentum), nesterov=nesterov == "1",
                               weight_decay=float(weight_decay), **how)
    return {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[kind](
        parameters, lr=0.01, weight_decay=float(weight_decay), **how)


def main():
    blocks = torch.from_numpy(numpy.fromfile(sys.argv[1], dtype=numpy.float32)).reshape(-1, sum(SIZES))
    for case, after in zip(sys.argv[2:], blocks[1:], strict=True):
        parameters = [part.reshape(shape).clone().requires_grad_()
                      for part, shape in zip(blocks[0].split(SIZES), SHAPES)]
        optim = optimizer(parameters, *case.split(","))
        for step in range(10):
            optim.zero_grad()
            sum((p * p * (step + 1)).sum() for p in parameters).backward()
            optim.step()
        ours = torch.cat([p.detach().flatten() for p in parameters])
        print((ours - after).abs().max().item())


if __name__ == "__main__":
    main()
