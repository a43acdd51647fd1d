# SPDX-License-Identifier: Apache-2.0
"""DistributedDataParallel over Gloo, or over NCCL with STEPBENCH_TEST_DEVICE=cuda: ranks_train.py
none|data|backward|fail|hang MILLISECONDS RANK [FILE]. What is planted on RANK, in each step, is appended to FILE."""
import os
import sys
import time

import torch
import torch.distributed as dist
from stepbench_worker import measure, phase, report
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

BATCH = 32
DEVICE = torch.device(os.environ.get("STEPBENCH_TEST_DEVICE", "cpu"))


def plant(milliseconds: float, file: str) -> None:
    began = time.monotonic_ns()
    time.sleep(milliseconds / 1000)
    if file:
        with open(file, "a", encoding="utf-8") as out:
            out.write(f"{time.monotonic_ns() - began}\n")


class Numbers(Dataset):
    def __init__(self, milliseconds: float, file: str) -> None:
        self.planted = milliseconds, file
        self.inputs = torch.randn(BATCH * 2, 64, generator=torch.Generator().manual_seed(1))

    def __len__(self) -> int:
        return BATCH * 400

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        if self.planted[0] and index // dist.get_world_size() % BATCH == 0:  # once per batch
            plant(*self.planted)
        return self.inputs[index % len(self.inputs)], index % 10


class Late(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inputs, milliseconds, file):
        ctx.planted = milliseconds, file
        return inputs.view_as(inputs)

    @staticmethod
    def backward(ctx, gradient):
        if ctx.planted[0]:
            plant(*ctx.planted)
        return gradient, None, None


class Net(torch.nn.Module):
    def __init__(self, milliseconds: float, file: str) -> None:
        super().__init__()
        self.planted = milliseconds, file
        self.first = torch.nn.Linear(64, 256)
        self.second = torch.nn.Linear(256, 10)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.second(Late.apply(torch.relu(self.first(inputs)), *self.planted))


def main() -> None:
    mode, size, culprit, *file = sys.argv[1:]
    dist.init_process_group("gloo" if DEVICE.type == "cpu" else "nccl")
    mine = dist.get_rank() == int(culprit)
    here = (float(size) if mine else 0.0), (file[0] if file else "")
    torch.manual_seed(0)
    data = Numbers(*here) if mode == "data" else Numbers(0, "")
    net = Net(*here) if mode == "backward" else Net(0, "")
    model = DistributedDataParallel(net.to(DEVICE))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(data, batch_size=BATCH, sampler=DistributedSampler(data, shuffle=False))
    for step, (inputs, labels) in enumerate(measure(loader)):
        if mine and step == 4 and mode == "fail":
            raise ValueError("no such label: 12")
        if mine and step == 4 and mode == "hang":
            time.sleep(10000)
        if mine and step == 4 and mode == "kill":
            os.kill(os.getpid(), 9)
        inputs, labels = inputs.to(DEVICE), labels.to(DEVICE)
        with phase("zero_grad"):
            optimizer.zero_grad()
        with phase("forward"):
            loss = torch.nn.functional.cross_entropy(model(inputs), labels)
        with phase("backward"):
            loss.backward()
        with phase("optimizer"):
            optimizer.step()
        report(loss=loss)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
