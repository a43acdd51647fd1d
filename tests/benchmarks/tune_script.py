# SPDX-License-Identifier: Apache-2.0
"""A training loop around Python's DataLoader, for the grid `python` of tune_grids.py: compressed pictures from one file,
decompressed, flipped and scaled by the workers; the step waits as for an accelerator of known speed.

tune_script.py --make FILE writes the pictures."""
import argparse
import pathlib
import random
import struct
import time
import zlib

SIDE = 96
PICTURES = 64


def make(path):
    """Makes smooth pictures with some noise, so that they compress like real ones."""
    draw = random.Random(0)
    packed = []
    for _ in range(PICTURES):
        pixels = bytearray()
        for _ in range(3):
            level = draw.randrange(256)
            for _ in range(SIDE * SIDE):
                level = (level + draw.randrange(-3, 4)) % 256
                pixels.append(level)
        packed.append(zlib.compress(bytes(pixels), 6))
    with open(path, "wb") as file:
        for each in packed:
            file.write(struct.pack("<I", len(each)) + each)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--make", default="")
    parser.add_argument("--data", default="")
    parser.add_argument("--num_workers", type=int, default=0)
    parser.add_argument("--prefetch_factor", type=int, default=0)
    parser.add_argument("--sharing", default="file_descriptor", choices=["file_descriptor", "file_system"])
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--step_ms", type=float, default=5)
    options = parser.parse_args()
    if options.make:
        make(options.make)
        return

    import torch
    from stepbench_worker import measure, phase

    torch.set_num_threads(1)
    torch.multiprocessing.set_sharing_strategy(options.sharing)

    class Pictures(torch.utils.data.Dataset):
        def __init__(self):
            packed, self.packed, at = pathlib.Path(options.data).read_bytes(), [], 0
            while at < len(packed):
                (size,) = struct.unpack_from("<I", packed, at)
                self.packed.append(packed[at + 4:at + 4 + size])
                at += 4 + size

        def __len__(self):
            return 8 * len(self.packed)

        def __getitem__(self, index):
            pixels = torch.frombuffer(bytearray(zlib.decompress(self.packed[index % PICTURES])), dtype=torch.uint8)
            picture = pixels.view(3, SIDE, SIDE).float().div_(255)
            return (picture.flip(2) if torch.rand(()) < 0.5 else picture), index % 10

    class ForEver(torch.utils.data.Sampler):
        def __init__(self, size):
            self.size = size

        def __iter__(self):
            while True:
                yield from torch.randperm(self.size).tolist()

    torch.manual_seed(0)
    pictures = Pictures()
    more = {"prefetch_factor": options.prefetch_factor} if options.num_workers else {}
    loader = torch.utils.data.DataLoader(pictures, options.batch_size, sampler=ForEver(len(pictures)),
                                         num_workers=options.num_workers, **more)
    for _pictures, _labels in measure(loader):
        with phase("forward"):
            time.sleep(options.step_ms / 1e3)


if __name__ == "__main__":
    main()
