# SPDX-License-Identifier: Apache-2.0
"""Compares the order and the tensors of loader.engine: python with torch.utils.data.DataLoader after
torch.manual_seed(seed), over the grid of options. In one process: python_batches.py tests the part of the worker's C++.

    python python_order.py FOLDER    folder of stepbench_user_code; --spawn: with spawn and forkserver
"""
import itertools
import random
import sys

import numpy
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, RandomSampler, Sampler, WeightedRandomSampler

FOLDER = sys.argv[1]
METHODS = ["spawn", "forkserver"] if "--spawn" in sys.argv else ["fork"]
sys.path.insert(0, FOLDER)
from stepbench_user_code.data import UserData  # noqa: E402
from stepbench_user_code.loader import UserLoader  # noqa: E402
from stepbench_user_code.loader_options import loader_options  # noqa: E402

SEED = 7
EPOCHS = 3


class Noisy(Dataset):
    """Samples whose numbers depend on the generator of the reading process."""

    def __init__(self, noisy):
        self.noisy = noisy

    def __len__(self):
        return 22

    def __getitem__(self, index):
        noise = torch.rand(2) if self.noisy else torch.zeros(2)
        return noise + index, index


class Stream(IterableDataset):
    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        return iter([(torch.tensor([float(i)]), i) for i in range(first, 22, step)])


class Batched(Dataset):
    """Each item is a batch."""

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return torch.full((index + 1, 2), float(index)), torch.full((index + 1,), index)


class BatchStream(IterableDataset):
    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        return (Batched()[i] for i in range(info.id if info else 0, 6, info.num_workers if info else 1))


class Drawn(Sampler):
    """Draws from torch's global generator: on construction, at the begin of an epoch, and for each index."""

    def __init__(self, data):
        self.data = data
        self.first = int(torch.randint(len(data), ()))
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        order = torch.randperm(len(self.data)).tolist()
        for index in order:
            yield (index + self.first + self.epoch + int(torch.randint(len(self.data), ()))) % len(self.data)


class Buckets:
    """Batches of different sizes by Python's and numpy's generators, which it uses from its second batch on."""

    def __init__(self, data):
        self.size = len(data)

    def __iter__(self):
        yield [0]
        for _ in range(5):
            yield random.sample(range(self.size), 2 + int(numpy.random.randint(3)))


def weighted(data):
    return WeightedRandomSampler([1.0 + i % 3 for i in range(len(data))], len(data))


def options(**given):
    return loader_options({"seed": SEED, "loader.batch_size": 4, "loader.start_method": METHODS[0]}) | given


def as_lists(batch):
    return [field.tolist() for field in batch]


def ours(dataset, given, sampler=None, batch_sampler=None):
    """Returns the epochs of engine python as lists of numbers."""
    makers = [each and (lambda make=each: make(dataset)) for each in (sampler, batch_sampler)]
    loader = UserLoader(UserData(__file__, dataset, given["batch_size"] is None), given, *makers)
    epochs = []
    for epoch in range(EPOCHS):
        batches = []
        for batch in loader.begin_epoch(epoch):
            batches.append(as_lists(batch))
            if sampler or batch_sampler:
                a_step_draws()
        epochs.append(batches)
        a_step_draws()
    loader.close()
    return epochs


def a_step_draws():
    torch.rand(5), random.random(), numpy.random.rand(3)


def indices(epochs):
    return [index for epoch in epochs for batch in epoch for index in batch[1]]


def plain(dataset, given, sampler=None, batch_sampler=None):
    """Returns the same from a DataLoader in a program that does nothing else."""
    torch.manual_seed(SEED), random.seed(SEED), numpy.random.seed(SEED)
    arguments = {"batch_size": given["batch_size"], "drop_last": given["drop_last"], "num_workers": given["num_workers"]}
    if sampler is not None:
        arguments["sampler"] = sampler(dataset)
    elif batch_sampler is not None:
        arguments = {"num_workers": given["num_workers"], "batch_sampler": batch_sampler(dataset)}
    elif given["with_replacement"]:
        arguments["sampler"] = RandomSampler(dataset, replacement=True, num_samples=given["num_samples"] or None)
    elif not isinstance(dataset, IterableDataset):
        arguments["shuffle"] = given["shuffle"]
    if given["num_workers"] > 0:
        arguments |= {
            "persistent_workers": given["persistent_workers"],
            "prefetch_factor": given["prefetch_factor"],
            "multiprocessing_context": given["start_method"],
        }
    loader = DataLoader(dataset, **arguments)
    epochs = []
    for epoch in range(EPOCHS):
        if hasattr(loader.sampler, "set_epoch"):
            loader.sampler.set_epoch(epoch)
        epochs.append([as_lists(batch) for batch in loader])
    return epochs


def compare_own_samplers():
    """Users' samplers: order and numbers of plain Python's loader, with any number of workers and any draws in
    between."""
    compared = 0
    for workers, persistent, own in itertools.product(
        (0, 1, 3), (False, True), ({"sampler": Drawn}, {"sampler": weighted}, {"batch_sampler": Buckets})
    ):
        if workers == 0 and persistent:
            continue
        given = options(num_workers=workers, persistent_workers=persistent, start_method=METHODS[0])
        found, expected = ours(Noisy(True), given, **own), plain(Noisy(workers > 0), given, **own)
        if workers > 0:
            assert found == expected, (given, own)
        assert indices(found) == indices(expected), (given, own)
        if not persistent:  # persistent workers draw their seed once
            assert indices(found) == indices(plain(Noisy(False), options(), **own)), (given, own)
        compared += 1
    for workers in (0, 2):
        for dataset in (Batched(), BatchStream()):
            given = options(num_workers=workers, batch_size=None)
            assert ours(dataset, given) == plain(dataset, given), given
            compared += 1
        own = {"sampler": Drawn}
        assert ours(Batched(), given, **own) == plain(Batched(), given, **own)
    return compared


def main():
    compared = 0
    for method, workers, shuffle, persistent, drop in itertools.product(
        METHODS, (0, 1, 2), (False, True), (False, True), (False, True)
    ):
        if (workers == 0 and (persistent or method != METHODS[0])) or (drop and persistent):
            continue
        given = options(
            num_workers=workers, shuffle=shuffle, persistent_workers=persistent, drop_last=drop, start_method=method
        )
        dataset = Noisy(noisy=workers > 0)
        assert ours(dataset, given) == plain(dataset, given), given
        compared += 1
    for workers in (0, 2):
        given = options(num_workers=workers, with_replacement=True, num_samples=13)
        assert ours(Noisy(False), given) == plain(Noisy(False), given), given
        given = options(num_workers=workers)
        assert ours(Stream(), given) == plain(Stream(), given), given
        compared += 2
    given = options(joined=True, batch_size=5, num_workers=2, shuffle=True)
    loader = UserLoader(UserData(__file__, Noisy(False)), given)
    found = [index for batch in itertools.islice(loader.begin_epoch(0), 12) for index in batch[1].tolist()]
    loader.close()
    expected = [i for epoch in plain(Noisy(False), given | {"persistent_workers": True}) for batch in epoch for i in batch[1]]
    assert found == expected[:60], (found, expected)
    assert UserLoader(UserData(__file__, Noisy(False)), options(pin_memory=True)).loader.pin_memory
    # Batches in order of completion have the same samples.
    given = options(num_workers=2, in_order=False)
    samples = sorted(i for batch in ours(Noisy(False), given)[0] for i in batch[1])
    assert samples == list(range(22)), samples
    compared += compare_own_samplers()
    print(f"{compared + 2} settings: order and numbers as plain Python's")


if __name__ == "__main__":
    main()
