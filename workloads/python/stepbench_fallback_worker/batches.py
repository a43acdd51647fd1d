# SPDX-License-Identifier: Apache-2.0
"""data.kind: python and loader.engine: python: batches of the user's own DataLoader, and the waits for them."""
import math
import statistics
from collections import namedtuple
from time import monotonic_ns

import torch
from stepbench_user_code import data as user_data
from stepbench_user_code import iterable as user_iterable
from stepbench_user_code import loader as user_loader
from stepbench_user_code import timing
from stepbench_user_code.loader_options import loader_options
from stepbench_user_code.user_file import UserError
from stepbench_worker.window import EPOCH, FIRST_BATCH

Batch = namedtuple("Batch", "tensors size bytes")


class Data:
    """The definitions of the file data.path."""

    def __init__(self, case):
        self.case = case
        self.path = case.get("data.path")
        self.seed = case.get("seed")
        user_data.seed_all(self.seed)
        if case.takes_iterable():
            self.users = user_iterable.UserIterable(self.path)
            return
        dataset = case.call("data.path", self.path, "dataset", {})
        items = loader_options(case.options)["batch_size"] is None
        self.users = user_data.UserData(self.path, dataset, items)

    def classes(self):
        return self.case.get("data.classes", None) or self.users.classes()

    def first(self, size):
        """Returns the first `size` samples as a batch."""
        return batch_of(self.users.first_batch(size, self.seed), self.path)

    def left_out(self):
        """Returns a note about fields that a model step ignores; None: there are none."""
        batch = self.users.first_batch(1, self.seed)
        if isinstance(batch, dict):
            return user_data.left_out(user_data.fields_in_order(batch))
        return user_data.left_out(["input", "target", *(f"field{at}" for at in range(2, len(batch)))])


class Batches:
    """The DataLoader's batches, epoch after epoch. begin() forks the workers, before the step starts threads."""

    def __init__(self, data, case):
        self.data = data
        if case.get("loader.alone", "none") != "none":
            case.refuse("loader.alone", "the loader or the step alone")
        options = loader_options(case.options, case.rank, case.world)
        self.loader = data.users if case.takes_iterable() else self.make_loader(data, case, options)
        if case.takes_iterable():
            self.loader.open(options, lambda offered: case.call("data.path", data.path, "loader", offered))
        self.epoch = 0
        self.iterator = None
        self.fresh = True
        self.taken_of_epoch = 0
        self.kinds = None  # dtype and dimensions of the first batch's tensors
        self.left = ""  # note about threads and processes that outlive close()
        self.waits_ns = []
        records = getattr(self.loader, "records", None)  # None for an iterable, whose workers are not observable
        self.records = None if records is None else memoryview(records).cast("B").cast("q")
        self.workers = max(options["num_workers"], 1)
        self.before = self.counts()
        self.window_ns = 0
        self.first_ns = 0

    @staticmethod
    def make_loader(data, case, options):
        own = [
            lambda name=name: case.optional("data.path", data.path, name, options, (data.users.dataset,))
            for name in ("sampler", "batch_sampler")
        ]
        return user_loader.UserLoader(data.users, options, *own)

    def begin(self):
        self.iterator = self.loader.begin_epoch(0)

    def per_epoch(self):
        return max(self.loader.batches(), 0)

    def next(self, loop):
        """Returns the next batch; counts as the loop's data_wait."""
        loop.begin_wait()
        began = monotonic_ns()
        try:
            batch = self.fetch(loop)
        except UserError:
            raise
        except Exception as error:
            ended = "" if self.records is None else self.loader.ended_workers()
            raise (RuntimeError(f"{ended}: {error}") if ended else error) from None
        waited = monotonic_ns() - began
        loop.waited(waited)
        self.waits_ns.append(waited)
        self.first_ns = self.first_ns or waited
        return batch

    def fetch(self, loop):
        flags = FIRST_BATCH if self.fresh else 0
        self.fresh = False
        for collated in self.iterator:
            loop.flag(flags)
            return self.taken(collated)
        self.epoch += 1
        self.taken_of_epoch = 0
        self.iterator = self.loader.begin_epoch(self.epoch)
        for collated in self.iterator:
            loop.flag(EPOCH)
            return self.taken(collated)
        if self.records is None:
            self.loader.refuse_empty(self.epoch)
        raise UserError("data.path", "the DataLoader gives no batch")

    def taken(self, collated):
        batch = batch_of(collated, self.data.path)
        if self.records is None:
            self.check(batch, collated)
        self.taken_of_epoch += 1
        return batch

    def check(self, batch, collated):
        """Checks a batch of an iterable against its first batch."""
        kinds = [(tensor.dtype, tensor.dim()) for tensor in batch.tensors]
        self.kinds = self.kinds or kinds
        if kinds != self.kinds:
            self.loader.refuse_other(self.taken_of_epoch, collated)
        if self.loader.batch_size is not None and batch.size > self.loader.batch_size:
            self.loader.refuse_size(self.taken_of_epoch, batch.size)

    def counts(self):
        """Sums over the workers since the loader was made, indexed as in timing.py."""
        if self.records is None:
            return [0] * (timing.COLLATE_NS + 1)
        return [sum(self.records[place :: timing.FIELDS]) for place in range(timing.COLLATE_NS + 1)]

    def window(self, begins):
        now = monotonic_ns()
        if begins:
            self.waits_ns, self.before, self.began_ns = [], self.counts(), now
        else:
            self.after, self.window_ns = self.counts(), now - self.began_ns

    def metrics(self):
        """Metrics of the last window, named like those of stepbench's own loader."""
        if not self.waits_ns or self.window_ns == 0:
            return {}
        waits = sorted(self.waits_ns)
        found = {
            "loader_next_ns": statistics.fmean(waits),
            "loader_wait_max_ns": waits[-1],
            "loader_first_wait_ns": self.first_ns,
        }
        for percent in (50, 90, 99):
            found[f"loader_wait_p{percent}_ns"] = waits[math.ceil(percent / 100 * len(waits)) - 1]
        batches, busy, fetch, collate = (after - before for after, before in zip(self.after, self.before))
        if batches > 0:
            found |= {"loader_fetch_ns": fetch / batches, "loader_collate_ns": collate / batches}
        if self.records is None:
            found["loader_next_blocked_ns"] = found["loader_next_ns"]
        elif self.loader.options["num_workers"] > 0:
            found["loader_worker_busy"] = min(busy / (self.workers * self.window_ns), 1.0)
        else:
            found["loader_next_read_ns"] = found["loader_next_ns"]
        return found

    def close(self):
        self.iterator = None
        self.left = self.loader.close() or ""


def batch_of(collated, path):
    """Returns (input, target, ...) of equal length; rejects everything else."""
    parts = collated
    if isinstance(collated, torch.Tensor):
        parts = [collated]
    elif isinstance(collated, dict):
        parts = [collated[name] for name in user_data.fields_in_order(collated)]
    if not isinstance(parts, (tuple, list)) or not parts or not all(map(is_field, parts)):
        user_data.refuse_batch(collated, path)
    sizes = {part.shape[0] for part in parts}
    if len(sizes) != 1 or 0 in sizes:
        user_data.refuse_batch(collated, path)
    tensors = [part.contiguous() for part in parts]
    return Batch(tensors, sizes.pop(), sum(tensor.numel() * tensor.element_size() for tensor in tensors))


def is_field(value):
    return isinstance(value, torch.Tensor) and value.dim() > 0 and value.device.type == "cpu" and value.layout == torch.strided
