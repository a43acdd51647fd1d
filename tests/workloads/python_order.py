# SPDX-License-Identifier: Apache-2.0
"""Holds the order and the tensors of loader.engine: python against torch.utils.data.DataLoader after
torch.manual_seed(seed), over the grid of options. In one process: what the worker's C++ adds is tested by
python_batches.py.

    python python_order.py FOLDER    where stepbench_hosted lies; --spawn: with spawn and forkserver
"""
import itertools
import sys

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, RandomSampler

FOLDER = sys.argv[1]
METHODS = ["spawn", "forkserver"] if "--spawn" in sys.argv else ["fork"]
sys.path.insert(0, FOLDER)
from stepbench_hosted.data import UserData  # noqa: E402
from stepbench_hosted.loader import UserLoader  # noqa: E402

SEED = 7
EPOCHS = 3


class Noisy(Dataset):
    """Samples whose numbers depend on the generator of the process that reads them."""

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


def options(**given):
    usual = {
        "batch_size": 4, "shuffle": False, "with_replacement": False, "num_samples": 0, "seed": SEED, "joined": False,
        "num_workers": 0, "prefetch_factor": 2, "pin_memory": False, "persistent_workers": False, "drop_last": False,
        "timeout_s": 0, "in_order": True, "threads_per_worker": 1, "switch_interval_us": 5000, "start_method": METHODS[0],
        "rank": 0, "world": 1,
    }
    return usual | given


def as_lists(batch):
    return [field.tolist() for field in batch]


def ours(dataset, given):
    """The epochs that engine python delivers, as lists of numbers."""
    loader = UserLoader(UserData(__file__, dataset), given)
    epochs = []
    for epoch in range(EPOCHS):
        epochs.append([as_lists(batch) for batch in loader.begin_epoch(epoch)])
        torch.rand(5)  # a step draws, too
    loader.close()
    return epochs


def plain(dataset, given):
    """The same from a DataLoader in a program that does nothing else."""
    torch.manual_seed(SEED)
    arguments = {"batch_size": given["batch_size"], "drop_last": given["drop_last"], "num_workers": given["num_workers"]}
    if given["with_replacement"]:
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
    return [[as_lists(batch) for batch in loader] for _ in range(EPOCHS)]


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
    # Batches that come as they are ready hold the same samples.
    given = options(num_workers=2, in_order=False)
    samples = sorted(i for batch in ours(Noisy(False), given)[0] for i in batch[1])
    assert samples == list(range(22)), samples
    print(f"{compared + 2} settings: order and numbers as plain Python's")


if __name__ == "__main__":
    main()
