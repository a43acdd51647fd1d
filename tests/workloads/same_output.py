# SPDX-License-Identifier: Apache-2.0
"""Loads weights that a C++ model wrote into torchvision's model and prints the largest difference of the outputs,
relative to the largest output.

usage: same_output.py MODEL FOLDER"""
import pathlib
import sys

import numpy
import torch
import torchvision


def read(path):
    return torch.from_numpy(numpy.fromfile(path, dtype=numpy.float64))


def main():
    kind, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    model = getattr(torchvision.models, kind)(num_classes=10).eval()
    state = model.state_dict()
    values, begin, written = read(folder / "weights.bin"), 0, set()
    for line in (folder / "names.txt").read_text().splitlines():
        name, count = line.split()
        state[name] = values[begin:begin + int(count)].reshape(state[name].shape).to(state[name].dtype)
        begin += int(count)
        written.add(name)
    if written != set(state):
        sys.exit(f"names differ: {sorted(written ^ set(state))}")
    model.load_state_dict(state)
    expected = read(folder / "output.bin").reshape(2, -1)
    with torch.no_grad():
        output = model(read(folder / "input.bin").reshape(2, 3, 64, 64).float()).double()
    print(((output - expected).abs().max() / expected.abs().max()).item())


if __name__ == "__main__":
    main()
