# SPDX-License-Identifier: Apache-2.0
"""JPEG files through a Python DataLoader of two workers and into a small network: jpeg_loader.py fork (or spawn)."""
import io

import numpy
import torch
from PIL import Image
from stepbench_worker import measure, phase, report
from torch import nn


class Pictures(torch.utils.data.Dataset):
    """512 pictures of 256 x 256, encoded once and kept in memory: what is timed is decoding, not a disk."""

    def __init__(self):
        noise = numpy.random.default_rng(0)
        self.files = []
        for _ in range(512):
            small, file = Image.fromarray(noise.integers(256, size=(32, 32, 3), dtype=numpy.uint8)), io.BytesIO()
            small.resize((256, 256)).save(file, "JPEG", quality=85)
            self.files.append(file.getvalue())

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        pixels = numpy.asarray(Image.open(io.BytesIO(self.files[index])).convert("RGB"))[16:240, 16:240]
        return torch.from_numpy(pixels.transpose(2, 0, 1).astype(numpy.float32) / 255), index % 10


def main(start):
    torch.manual_seed(0)
    loader = torch.utils.data.DataLoader(Pictures(), batch_size=32, shuffle=True, num_workers=2, persistent_workers=True,
                                         multiprocessing_context=start)
    net = nn.Sequential(nn.Conv2d(3, 8, 7, 4), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(128, 10))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for images, labels in measure(loader):
        with phase("forward"):
            loss = nn.functional.cross_entropy(net(images), labels)
        with phase("backward"):
            loss.backward()
        with phase("optimizer"):
            optimizer.step()
            optimizer.zero_grad()
        report(loss=loss)
