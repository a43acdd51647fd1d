# SPDX-License-Identifier: Apache-2.0
"""Data set and sampler that the scripts next to this file pass to Python's DataLoader."""
import torch


class Indices(torch.utils.data.Dataset):
    """Sample i is i."""

    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        return index


class Endless(torch.utils.data.Sampler):
    """Repeats `sampler`, or any other iterable of indices, endlessly."""

    def __init__(self, sampler):
        self.sampler = sampler

    def __iter__(self):
        while True:
            yield from self.sampler
