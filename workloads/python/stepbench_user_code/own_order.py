# SPDX-License-Identifier: Apache-2.0
"""Keeps the order of a user-defined sampler as in a program that only reads the loader: random numbers drawn by the
data set, the model or the steps do not change it, whatever the number of workers.

A sampler draws from the global generators of torch, Python and numpy. These are replaced by its own while it runs.
"""
import contextlib
import pickle
import random

import torch
from torch.utils.data import Sampler

from stepbench_user_code import data as user_data

MOST_KEPT = 1024
LOOKS = 8  # first draws of an epoch, to detect which generators the sampler uses
END = object()


class OwnNumbers:
    """The random numbers of a program that begins with torch.manual_seed(seed), random.seed(seed) and
    numpy.random.seed(seed), and in which nothing else draws."""

    def __init__(self, seed):
        numpy = user_data.numpy_random()
        self.sources = [(torch.get_rng_state, torch.set_rng_state), (random.getstate, random.setstate)]
        if numpy is not None:
            self.sources.append((numpy.get_state, numpy.set_state))
        self.used = [0]  # torch's, and others that have been drawn from
        with user_data.Seeded(seed):
            self.states = [get() for get, _ in self.sources]
        self.inside = False

    @contextlib.contextmanager
    def exchanged(self, only_used=False):
        """Inside, the global generators continue from the state at the end of the last call; afterwards they are
        restored. `only_used`: only those that have been drawn from, because the states of Python's and numpy's are
        long."""
        if self.inside:
            yield
            return
        which = self.used if only_used else range(len(self.sources))
        others = [self.sources[at][0]() for at in which]
        for at in which:
            self.sources[at][1](self.states[at])
        self.inside = True
        try:
            yield
        finally:
            self.inside = False
            for at, other in zip(which, others):
                get, put = self.sources[at]
                state = get()
                if at not in self.used and pickle.dumps(state) != pickle.dumps(self.states[at]):
                    self.used = [*self.used, at]
                self.states[at] = state
                put(other)


class OwnOrder(Sampler):
    """`plain` with its own random numbers. `first`: the first indices of this epoch."""

    def __init__(self, plain, numbers):
        self.plain = plain
        self.numbers = numbers
        self.first = []

    def __len__(self):
        return len(self.plain)

    def __iter__(self):
        self.first = []
        with self.numbers.exchanged():
            iterator = iter(self.plain)
            given = next(iterator, END)
        looks = LOOKS
        while given is not END:
            if len(self.first) < MOST_KEPT:
                self.first += given if isinstance(given, (list, tuple)) else [given]
            yield given
            looks -= 1
            with self.numbers.exchanged(only_used=looks <= 0):
                given = next(iterator, END)
