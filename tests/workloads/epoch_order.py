# SPDX-License-Identifier: Apache-2.0
"""Prints the sample order of torch's DataLoader, a line per epoch:
SIZE SEED SHUFFLE PERSISTENT EPOCH index index ..."""
import torch
from torch.utils.data import DataLoader


class Indices(torch.utils.data.Dataset):
    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        return index


def main():
    for size, seed in [(1, 0), (17, 0), (100, 1), (257, 2**40 + 3)]:
        for shuffle in (True, False):
            for persistent in (False, True):
                torch.manual_seed(seed)
                # Persistent workers exist only where there are workers; the order does not depend on their number.
                loader = DataLoader(Indices(size), shuffle=shuffle, num_workers=int(persistent),
                                    persistent_workers=persistent)
                for epoch in range(2):
                    order = [int(index) for index in loader]
                    print(size, seed, int(shuffle), int(persistent), epoch, *order)


if __name__ == "__main__":
    main()
