# SPDX-License-Identifier: Apache-2.0
"""Writes valid and invalid TorchScript files for data of 8 x {3, 32, 32} images in ten classes: own_models.py
FOLDER."""
import pathlib
import shutil
import sys

import torch
from torch import nn


class Small(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, stride=4)
        self.norm = nn.BatchNorm2d(4)
        self.drop = nn.Dropout(0.5)
        self.head = nn.Linear(4 * 8 * 8, classes)

    def forward(self, x):
        return self.head(self.drop(torch.relu(self.norm(self.conv(x)))).flatten(1))


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(3072, 10)

    def forward(self, x):
        return self.head(x.flatten(1)), x


class Speaker(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 8)
        self.head = nn.Linear(8, 50)

    def forward(self, x):
        return self.head(self.words(x))


def main():
    torch.manual_seed(0)
    folder = pathlib.Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    torch.jit.script(Small(10)).save(folder / "small.pt")
    torch.jit.trace(Small(10), torch.rand(2, 3, 32, 32), check_trace=False).save(folder / "traced.pt")
    torch.jit.freeze(torch.jit.script(Small(10).eval())).save(folder / "frozen.pt")
    torch.jit.script(Small(5)).save(folder / "five_classes.pt")
    torch.jit.script(nn.Sequential(nn.Flatten(), nn.Linear(64, 10))).save(folder / "vectors.pt")
    torch.jit.script(Pair()).save(folder / "pair.pt")
    torch.jit.script(Speaker()).save(folder / "speaker.pt")
    torch.save(Small(10).state_dict(), folder / "weights.pt")
    (folder / "text.pt").write_text("no model\n")


if __name__ == "__main__":
    main()
