# SPDX-License-Identifier: Apache-2.0
"""Compares JpegFolder with Pillow and torchvision on the same crops: decode_quality.py DUMP_SAMPLE.

Every image must reach 40 dB for data.decode: exact; for fast the ratio is printed and must be above 28 dB.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
import torchvision.transforms.functional as functional
from PIL import Image
from torchvision.datasets import ImageFolder
from torchvision.transforms import InterpolationMode

SIZE = 224
MEAN = np.array([0.485, 0.456, 0.406])[:, None, None]
DEVIATION = np.array([0.229, 0.224, 0.225])[:, None, None]


def photograph(random, width, height):
    y, x = np.mgrid[0:height, 0:width]
    image = 128 + random.normal(0, 8, (height, width, 1)) + np.zeros((1, 1, 3))
    for channel in range(3):
        for _ in range(6):
            fx, fy = random.uniform(-0.3, 0.3, 2)
            image[..., channel] += random.uniform(10, 40) * np.sin(fx * x + fy * y + random.uniform(0, 6))
    return Image.fromarray(np.clip(image, 0, 255).astype(np.uint8))


def write_folder(folder):
    random = np.random.default_rng(1)
    for name in ("cat", "dog"):
        os.makedirs(f"{folder}/{name}")
    for subsampling in (0, 1, 2):
        for progressive in (False, True):
            for width, height in ((500, 375), (333, 501), (64, 48), (1201, 801)):
                photograph(random, width, height).save(
                    f"{folder}/cat/s{subsampling}-{progressive}-{width}.jpg", quality=90, subsampling=subsampling,
                    progressive=progressive)
    photograph(random, 400, 300).convert("L").save(f"{folder}/dog/grey.jpeg", quality=90)
    photograph(random, 400, 300).convert("CMYK").save(f"{folder}/dog/cmyk.JPG", quality=90)
    photograph(random, 17, 400).save(f"{folder}/dog/thin.jpg", quality=90)
    photograph(random, 3, 2).save(f"{folder}/dog/tiny.jpg", quality=90)
    photograph(random, 2400, 1600).save(f"{folder}/dog/large.jpg", quality=90)
    rotated = Image.Exif()
    rotated[0x0112] = 6  # orientation: neither Pillow nor stepbench applies it
    photograph(random, 400, 300).save(f"{folder}/dog/rotated.jpg", quality=90, exif=rotated)


def reference(image, mode, left, top, width, height, flip):
    if mode == "train":
        part = functional.resized_crop(image, top, left, height, width, [SIZE, SIZE], InterpolationMode.BILINEAR,
                                       antialias=True)
        part = functional.hflip(part) if flip else part
    else:
        part = functional.resize(image, SIZE * 256 // 224, InterpolationMode.BILINEAR, antialias=True)
        part = functional.center_crop(part, [SIZE, SIZE])
    return functional.to_tensor(part).numpy()


def decibels(program, folder, mode, decode):
    dump = f"{folder}.bin"
    lines = subprocess.run([program, folder, str(SIZE), "7", "3", decode, mode, dump], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    tensors = np.fromfile(dump, np.float32).reshape(-1, 3, SIZE, SIZE)
    samples = ImageFolder(folder).samples
    assert len(samples) == len(lines) == len(tensors)
    result = {}
    for line, tensor, (path, label) in zip(lines, tensors, samples):
        ours, our_label, *crop = line.rsplit(" ", 6)
        assert (ours, int(our_label)) == (path, label), "another order than torchvision's ImageFolder"
        expected = reference(Image.open(path).convert("RGB"), mode, *map(int, crop))
        error = ((tensor * DEVIATION + MEAN - expected) ** 2).mean()
        result[os.path.basename(path)] = -10 * np.log10(max(error, 1e-12))
    return result


def main():
    with tempfile.TemporaryDirectory() as temporary:
        folder = f"{temporary}/images"
        write_folder(folder)
        for mode in ("train", "eval"):
            for decode, least in (("exact", 40), ("fast", 28)):
                result = decibels(sys.argv[1], folder, mode, decode)
                worst = min(result, key=result.get)
                print(f"{mode:5} {decode:5} {len(result)} images, lowest {result[worst]:.1f} dB ({worst})")
                assert result[worst] >= least, result


if __name__ == "__main__":
    main()
