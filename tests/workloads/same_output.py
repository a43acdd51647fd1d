# SPDX-License-Identifier: Apache-2.0
"""Loads weights written by a C++ model into torchvision's model, or a plain reference, and prints the largest
difference of the outputs relative to the largest output; a line per model.

usage: same_output.py (MODEL FOLDER)..."""
import pathlib
import sys

import numpy
import torch
import torchvision

import language_models


def read(path):
    return torch.from_numpy(numpy.fromfile(path, dtype=numpy.float32))


def weights(folder):
    values, begin, named = read(folder / "weights.bin"), 0, {}
    for line in (folder / "names.txt").read_text().splitlines():
        name, *shape = line.split()
        shape = [int(extent) for extent in shape]
        count = numpy.prod(shape, dtype=int)
        named[name] = values[begin:begin + count].reshape(shape)
        begin += count
    return named


def vision_output(kind, named, images):
    with torch.device("meta"):  # the weights come from the file
        model = (torchvision.models.vit_b_16(num_classes=10, image_size=64) if kind == "vit_b16"
                 else getattr(torchvision.models, kind)(num_classes=10))
    model = model.eval()
    named = {name: value.long() if name.endswith("num_batches_tracked") else value for name, value in named.items()}
    model.load_state_dict(named, assign=True)  # rejects missing and unexpected names and other shapes
    return model(images.reshape(2, 3, 64, 64))


def difference(kind, folder):
    values = read(folder / "input.bin")
    if hasattr(language_models, kind):
        output = getattr(language_models, kind)(weights(folder), values.reshape(2, 16).long())
    else:
        output = vision_output(kind, weights(folder), values)
    ours = read(folder / "output.bin").reshape(output.shape)
    return ((output - ours).abs().max() / ours.abs().max()).item()


def main():
    with torch.no_grad():
        for kind, folder in zip(sys.argv[1::2], sys.argv[2::2]):
            print(difference(kind, pathlib.Path(folder)))


if __name__ == "__main__":
    main()
