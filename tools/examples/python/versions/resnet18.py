# SPDX-License-Identifier: Apache-2.0
"""ResNet-18 in channels_last, a training step on 8 images of 96 x 96: convolutions, batch norm, SGD."""
import torch
from stepbench_worker import measure, phase, report
from torch import nn


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(),
                                  nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))
        self.skip = nn.Identity() if inputs == outputs else nn.Sequential(
            nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return torch.relu(self.body(x) + self.skip(x))


def main():
    torch.manual_seed(0)
    blocks = [Block(a, b, s) for a, b, s in ((64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1),
                                             (256, 512, 2), (512, 512, 1))]
    net = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1), *blocks,
                        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)).to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    batches = [(torch.randn(8, 3, 96, 96).to(memory_format=torch.channels_last), torch.randint(1000, (8,)))] * 400

    for images, labels in measure(batches):
        with phase("forward"):
            loss = nn.functional.cross_entropy(net(images), labels)
        with phase("backward"):
            loss.backward()
        with phase("optimizer"):
            optimizer.step()
            optimizer.zero_grad()
        report(loss=loss)
