# SPDX-License-Identifier: Apache-2.0
"""A small convolutional network for `model: {kind: python, path: net.py}`, used by configs/python_model.yaml."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, channels, classes, width):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(channels, width, 3, stride=2, padding=1),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, 2 * width, 3, stride=2, padding=1),
            nn.BatchNorm2d(2 * width),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
        )
        self.head = nn.Linear(2 * width, classes)

    def forward(self, images):
        return self.head(self.features(images).flatten(1))


def model(classes=10, input_shape=(3, 32, 32), width=32, compile=False):
    """stepbench passes classes and input_shape; width and compile come from `python` in the YAML file."""
    net = Net(input_shape[0], classes, width)
    return torch.compile(net) if compile else net
