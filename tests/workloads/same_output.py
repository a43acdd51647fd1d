# SPDX-License-Identifier: Apache-2.0
"""Loads weights that a C++ model wrote into torchvision's model and prints the largest difference of the outputs,
relative to the largest output; a line per model.

usage: same_output.py (MODEL FOLDER)..."""
import pathlib
import sys

import numpy
import torch
import torchvision


def read(path):
    return torch.from_numpy(numpy.fromfile(path, dtype=numpy.float64))


def difference(kind, folder):
    model = getattr(torchvision.models, kind)(num_classes=10).eval()
    state = model.state_dict()
    values, begin, written = read(folder / "weights.bin"), 0, set()
    for line in (folder / "names.txt").read_text().splitlines():
        name, count = line.split()
        state[name] = values[begin:begin + int(count)].reshape(state[name].shape).to(state[name].dtype)
        begin += int(count)
        written.add(name)
    if written != set(state):
        sys.exit(f"{kind}: names differ: {sorted(written ^ set(state))}")
    model.load_state_dict(state)
    expected = read(folder / "output.bin").reshape(2, -1)
    with torch.no_grad():
        output = model(read(folder / "input.bin").reshape(2, 3, 64, 64).float()).double()
    return ((output - expected).abs().max() / expected.abs().max()).item()


def main():
    for kind, folder in zip(sys.argv[1::2], sys.argv[2::2]):
        print(difference(kind, pathlib.Path(folder)))


if __name__ == "__main__":
    main()
