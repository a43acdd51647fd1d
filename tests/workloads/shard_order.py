# SPDX-License-Identifier: Apache-2.0
"""Holds tar shards under our loader against Python's DataLoader over an IterableDataset that reads the same shards by
tarfile and gives worker w the shards w, w + num_workers, ...: shard_order.py SHARD_TRACE. Joined epochs are held against
an IterableDataset that begins anew at its end."""
import itertools
import pathlib
import subprocess
import sys
import tarfile
import tempfile

import torch


class Shards(torch.utils.data.IterableDataset):
    def __init__(self, folder, endless=False):
        self.paths = sorted(pathlib.Path(folder).glob("*.tar"))
        self.endless = endless

    def __iter__(self):
        for epoch in itertools.count():
            samples = 0
            for samples, label in enumerate(self.one_pass(), 1):
                yield label
            if not self.endless or samples == 0:
                return

    def one_pass(self):
        info = torch.utils.data.get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        for path in itertools.islice(self.paths, first, None, step):
            with tarfile.open(path) as tar:
                for member in tar:
                    if member.name.endswith(".cls"):
                        yield int(tar.extractfile(member).read())


def python_epochs(folder, workers, prefetch_factor, batch_size, drop_last, persistent, joined):
    loader = torch.utils.data.DataLoader(
        Shards(folder, joined > 0), batch_size=batch_size, drop_last=bool(drop_last), num_workers=workers,
        prefetch_factor=prefetch_factor if workers else None, persistent_workers=bool(persistent))
    words = []
    if joined:
        batches = itertools.islice(loader, joined)
        return " ".join([",".join(str(int(label)) for label in batch) for batch in batches] + ["|"])
    for _ in range(2):
        words += [",".join(str(int(label)) for label in batch) for batch in loader] + ["|"]
    return " ".join(words)


def main():
    grid = [point for point in itertools.product((0, 1, 2, 3), (2,), (1, 4), (0, 1), (0, 1), (0,))
            if point[0] or not point[4]]
    grid += [(workers, prefetch_factor, batch_size, 0, 0, 40)
             for workers, prefetch_factor, batch_size in itertools.product((0, 1, 2, 3), (1, 2), (1, 4, 50))]
    grid += [(8, 2, 3, 0, 0, 40)]  # more workers than shards
    with tempfile.TemporaryDirectory() as folder:
        shards = pathlib.Path(folder, "shards")
        lines = "\n".join(" ".join(map(str, point)) for point in grid) + "\n"
        done = subprocess.run([sys.argv[1], shards], input=lines, capture_output=True, text=True, check=True)
        ours = [line.strip() for line in done.stdout.splitlines()]
        assert len(ours) == len(grid), (len(ours), len(grid))
        for point, line in zip(grid, ours):
            python = python_epochs(shards, *point)
            assert line == python, f"{point}\n ours   {line}\n python {python}"
    print(f"{len(grid)} loaders of Python {torch.__version__} agree")


if __name__ == "__main__":
    main()
