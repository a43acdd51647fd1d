# SPDX-License-Identifier: Apache-2.0
"""Prints the sample order of torch's DataLoader, a line per epoch: SIZE SEED SHUFFLE REPLACEMENT ONE_ITERATOR
WEIGHTED DRAWS EPOCH index index ... One iterator serves all epochs if workers persist or the sampler never ends."""
import itertools

import torch
from torch.utils.data import DataLoader, RandomSampler, SequentialSampler, WeightedRandomSampler

from indices import Endless, Indices


def joined_epochs(size, seed, sampler, draws):
    torch.manual_seed(seed)
    iterator = iter(DataLoader(Indices(size), sampler=Endless(sampler)))
    for epoch in range(3):
        yield epoch, [int(index) for index in itertools.islice(iterator, draws)]


def main():
    for size, seed in [(1, 0), (17, 0), (100, 1), (257, 2**40 + 3)]:
        for shuffle, replacement in ((True, False), (False, False), (False, True)):
            for persistent in (False, True):
                torch.manual_seed(seed)
                # Persistent workers need workers; the order does not depend on their number.
                data = Indices(size)
                loader = DataLoader(data, shuffle=None if replacement else shuffle, num_workers=int(persistent),
                                    sampler=RandomSampler(data, replacement=True) if replacement else None,
                                    persistent_workers=persistent)
                for epoch in range(2):
                    order = [int(index) for index in loader]
                    print(size, seed, int(shuffle), int(replacement), int(persistent), 0, 0, epoch, *order)
            sampler = RandomSampler(data, replacement=replacement) if shuffle or replacement else SequentialSampler(data)
            for epoch, order in joined_epochs(size, seed, sampler, size):
                print(size, seed, int(shuffle), int(replacement), 1, 0, 0, epoch, *order)
        for replacement, draws in ((True, size), (True, size + 40), (False, size), (False, (size + 1) // 2)):
            for persistent in (False, True):
                torch.manual_seed(seed)
                weights = [(i * 7919 + 1) % 13 * 0.37 for i in range(size)]
                loader = DataLoader(Indices(size), sampler=WeightedRandomSampler(weights, draws, replacement),
                                    num_workers=int(persistent), persistent_workers=persistent)
                for epoch in range(3):
                    order = [int(index) for index in loader]
                    print(size, seed, 0, int(replacement), int(persistent), 1, draws, epoch, *order)
            sampler = WeightedRandomSampler(weights, draws, replacement)
            for epoch, order in joined_epochs(size, seed, sampler, draws):
                print(size, seed, 0, int(replacement), 1, 1, draws, epoch, *order)


if __name__ == "__main__":
    main()
