# SPDX-License-Identifier: Apache-2.0
"""Holds joined epochs against Python's DataLoader with a sampler that never ends: joined_order.py JOINED_TRACE."""
import itertools
import subprocess
import sys

import torch

from indices import Endless, Indices

BATCHES = 15


def python_batches(workers, prefetch_factor, batch_size, samples):
    loader = torch.utils.data.DataLoader(Indices(samples), batch_size=batch_size, sampler=Endless(range(samples)),
                                         num_workers=workers, prefetch_factor=prefetch_factor if workers else None)
    return " ".join(",".join(str(int(index)) for index in batch) for batch in itertools.islice(loader, BATCHES))


def main():
    grid = list(itertools.product((0, 1, 3), (1, 2), (1, 4, 25), (1, 4, 10)))
    lines, expected = [], []
    for workers, *rest in grid:
        python = python_batches(workers, *rest)
        for engine in ("thread", "shm_ring", "torch_fd") if workers else ("inline",):
            lines.append(" ".join(map(str, (engine, workers, *rest, BATCHES))))
            expected.append(python)
    done = subprocess.run([sys.argv[1]], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    ours = done.stdout.splitlines()
    assert len(ours) == len(lines), (len(ours), len(lines))
    for line, got, python in zip(lines, ours, expected):
        assert got == python, f"{line}\n ours   {got}\n python {python}"
    print(f"{len(lines)} loaders of Python {torch.__version__} agree")


if __name__ == "__main__":
    main()
