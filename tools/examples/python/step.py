# SPDX-License-Identifier: Apache-2.0
"""A whole training step in Python for `workload: python_step`, used by configs/python_step.yaml.

A standard PyTorch training loop with added marks of its phases.
"""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    """Noise images with Fashion-MNIST's number of classes; replace it by your own Dataset."""

    def __init__(self, samples):
        self.samples = samples

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        return torch.rand(1, 28, 28, generator=generator), index % 10


class Training:
    def __init__(self, device, batch_size, num_workers, width, lr):
        self.device = device
        self.loader = DataLoader(
            Images(2048), batch_size, shuffle=True, num_workers=num_workers, persistent_workers=num_workers > 0
        )
        self.model = nn.Sequential(
            nn.Flatten(), nn.Linear(28 * 28, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 10)
        ).to(device)
        self.loss = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=lr)

    def step(self, record):
        images, labels = record.next(self.loader)  # phase data_wait; continues with the next epoch
        with record.phase("h2d"):
            images, labels = images.to(self.device), labels.to(self.device)
        with record.phase("zero_grad"):
            self.optimizer.zero_grad()
        with record.phase("forward"):
            logits = self.model(images)
        with record.phase("loss"):
            loss = self.loss(logits, labels)
        with record.phase("backward"):
            loss.backward()
        with record.phase("optimizer"):
            self.optimizer.step()
        return {"samples": len(images)}

    def fingerprint(self):
        """The loss on the same samples in every launch: a faster arm must compute the same value."""
        images, labels = zip(*(self.loader.dataset[i] for i in range(16)))
        with torch.no_grad():
            logits = self.model(torch.stack(images).to(self.device))
        return self.loss(logits, torch.tensor(labels, device=self.device))


def make(device="cpu", batch_size=64, num_workers=0, width=512, lr=0.001):
    """stepbench passes device (and seed, rank, world if make() accepts them); the rest comes from `python`."""
    return Training(device, batch_size, num_workers, width, lr)
