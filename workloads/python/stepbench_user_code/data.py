# SPDX-License-Identifier: Apache-2.0
"""The user's data set: its properties, and batches read without a loader."""
import itertools
import random

import torch
from torch.utils.data import IterableDataset, default_collate, default_convert

from stepbench_user_code import user_file
from stepbench_user_code.user_file import UserError


INPUTS = ("input", "inputs", "input_ids", "pixel_values", "image", "images", "tokens", "x")
TARGETS = ("target", "targets", "label", "labels", "y")


class Seeded:
    """Seeds all of Python's random generators as if the program began with this seed; restores them afterwards."""

    def __init__(self, seed):
        self.seed = seed

    def __enter__(self):
        self.states = (random.getstate(), torch.get_rng_state(), numpy_random() and numpy_random().get_state())
        seed_all(self.seed)

    def __exit__(self, *_):
        random.setstate(self.states[0])
        torch.set_rng_state(self.states[1])
        if self.states[2] is not None:
            numpy_random().set_state(self.states[2])


def numpy_random():
    try:
        import numpy
    except ImportError:
        return None
    return numpy.random


def seed_all(seed):
    random.seed(seed)
    torch.default_generator.manual_seed(seed)
    if numpy_random() is not None:
        numpy_random().seed(seed % 2**32)


class UserData:
    """The definitions of the file data.path. `dataset`: result of its function dataset(). `items_are_batches`: each of
    its items has several samples."""

    def __init__(self, path, dataset, items_are_batches=False):
        self.path = path
        self.dataset = dataset
        self.items_are_batches = items_are_batches
        self.iterable = isinstance(dataset, IterableDataset)
        self.collate = user_file.optional(path, "collate") or (default_convert if items_are_batches else default_collate)
        self.worker_init = user_file.optional(path, "worker_init")
        if not self.iterable and not hasattr(dataset, "__getitem__"):
            raise UserError(
                "data.path",
                f"dataset() returned {type(dataset).__name__}, which is not a Dataset: it has no __getitem__ and is no "
                "torch.utils.data.IterableDataset",
            )

    def size(self):
        """Returns the number of samples; -1: unknown."""
        if self.iterable:
            return -1
        try:
            return len(self.dataset)
        except (TypeError, NotImplementedError, AttributeError):
            return -1

    def classes(self):
        """Returns the number of classes; 0: unknown."""
        for name in ("classes", "num_classes"):
            known = getattr(self.dataset, name, None)
            if isinstance(known, int):
                return known
            if hasattr(known, "__len__"):
                return len(known)
        return 0

    def class_names(self):
        names = getattr(self.dataset, "classes", None)
        return [str(name) for name in names] if isinstance(names, (list, tuple)) else []

    def first_batch(self, size, seed):
        """Returns the first `size` samples, collated; repeats samples if the data set, or the item that is a batch, is
        smaller."""
        with Seeded(seed):
            if self.items_are_batches:
                return rows_of(self.collate(self.samples([0])[0]), size)
            return self.collate(self.samples(range(size)))

    def sample(self, index):
        """Returns one sample as a batch."""
        if self.items_are_batches:
            return rows_of(self.collate(self.samples([index])[0]), 1)
        return self.collate(self.samples([index]))

    def samples(self, indices):
        if self.iterable:
            found = list(itertools.islice(iter(self.dataset), len(indices)))
            if not found:
                raise UserError("data.path", "the data set is empty: its iterator yields nothing")
            return [found[i % len(found)] for i in range(len(indices))]
        size = self.size()
        if size == 0:
            raise UserError("data.path", "the data set is empty: len(dataset) is 0")
        wanted = [i % size if size > 0 else i for i in indices]
        many = getattr(self.dataset, "__getitems__", None)
        return many(wanted) if many else [self.dataset[i] for i in wanted]

    def digest(self):
        return f"{user_file.digest([self.path])}-{self.size()}"


def rows_of(batch, size):
    """Returns the first samples of a batch, repeated if it has fewer."""
    if isinstance(batch, torch.Tensor) and batch.dim() > 0 and len(batch) > 0:
        return batch[torch.arange(size) % len(batch)]
    if isinstance(batch, dict):
        return {name: rows_of(each, size) for name, each in batch.items()}
    if isinstance(batch, (tuple, list)):
        return [rows_of(each, size) for each in batch]
    return batch


def fields_in_order(names):
    """Orders the fields of a dict batch: the model's input first and its target second, by common names in data
    sets."""
    names = list(names)
    target = next((name for name in TARGETS if name in names), None)
    given = next((name for name in INPUTS if name in names), None)
    first = [name for name in names if name != target and given in (None, name)][:1]
    second = [] if target is None or not first else [target]
    return first + second + [name for name in names if name not in first + second]


def left_out(names):
    """Returns a note about fields of a batch that a model step ignores; None: it uses all of them."""
    given, target, *others = names
    if not others:
        return None
    are = "are" if len(others) > 1 else "is"
    return (f"forward() takes '{given}' and the loss '{target}'; {', '.join(map(repr, others))} of each batch {are} read, and "
            "then left out: what uses more is a step of your own (workload: python_step)")


def refuse_batch(batch, path):
    """Raises UserError for a batch that does not consist of tensors of equal length."""
    came = in_words(batch)
    raise UserError(
        "data.path",
        f"a batch is {came}; expected tensors with the samples in their first dimension: (input, target, ...) or a "
        "dict of them. Write a collate(samples) that returns these",
    )


def in_words(value, depth=0):
    if isinstance(value, torch.Tensor):
        place = "" if value.device.type == "cpu" else f" on {value.device}"
        layout = "" if value.layout == torch.strided else f", {value.layout}"
        return f"Tensor {list(value.shape)} {str(value.dtype).replace('torch.', '')}{place}{layout}"
    if isinstance(value, (tuple, list)) and depth < 2:
        inner = ", ".join(in_words(each, depth + 1) for each in value[:4])
        more = ", ..." if len(value) > 4 else ""
        return f"{type(value).__name__} of {len(value)} ({inner}{more})"
    if isinstance(value, dict) and depth < 2:
        inner = ", ".join(f"{key}: {in_words(each, depth + 1)}" for key, each in list(value.items())[:4])
        return f"dict ({inner}{', ...' if len(value) > 4 else ''})"
    return type(value).__name__
