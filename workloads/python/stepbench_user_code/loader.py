# SPDX-License-Identifier: Apache-2.0
"""torch.utils.data.DataLoader on the user's data set, made from the options under `loader`."""
import contextlib
import ctypes
import glob
import multiprocessing.sharedctypes
import os
import signal
import sys

import torch
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, Sampler, SequentialSampler
from torch.utils.data.distributed import DistributedSampler

from stepbench_user_code import data as user_data
from stepbench_user_code import stacks, timing
from stepbench_user_code.own_order import OwnNumbers, OwnOrder
from stepbench_user_code.user_file import UserError


PYTHONS_SWITCH_INTERVAL_US = 5000


class SeededSampler(RandomSampler):
    """RandomSampler with seeds from the loader's own generator: models draw from the global generator in between, and
    the order must not depend on them. The numbers are those after torch.manual_seed(seed) in a program without a
    model."""

    def __init__(self, dataset, seeds, mirror, **options):
        super().__init__(dataset, **options)
        self.seeds = seeds
        self.mirror = mirror

    def __iter__(self):
        seed = draw(self.seeds)
        if self.mirror:
            draw(None)
        self.generator = torch.Generator()
        self.generator.manual_seed(seed)
        yield from super().__iter__()


class Endless(Sampler):
    """loader.epochs: joined. Repeats a sampler endlessly."""

    def __init__(self, sampler):
        self.sampler = sampler

    def __iter__(self):
        epoch = 0
        while True:
            set_epoch(self.sampler, epoch)
            empty = True
            for index in self.sampler:
                empty = False
                yield index
            if empty:
                return
            epoch += 1


class WorkerInit:
    """First code in a worker process: sets up timing, threads, and calls the user's worker_init()."""

    def __init__(self, records, options, user_init, stacks_path):
        self.records = records
        self.threads = options["threads_per_worker"]
        self.switch_interval_us = options["switch_interval_us"]
        self.sharing_strategy = options["sharing_strategy"]
        self.user_init = user_init
        self.stacks_path = stacks_path

    def __call__(self, worker):
        end_with_parent()
        watch = None
        if self.stacks_path is not None:
            watch = stacks.Watch(self.stacks_path)
            watch.start()
        timing.install(self.records, worker, watch, hands_over=True)
        if self.switch_interval_us != PYTHONS_SWITCH_INTERVAL_US:
            sys.setswitchinterval(self.switch_interval_us * 1e-6)
        if self.threads != 1:
            torch.set_num_threads(self.threads)
        share_by(self.sharing_strategy)
        if self.user_init is not None:
            self.user_init(worker)


def share_by(strategy):
    """Sets the sharing strategy of this process; empty: keeps that of the user's file."""
    if strategy:
        torch.multiprocessing.set_sharing_strategy(strategy)


def end_with_parent():
    """Kills this process with its parent. Python's workers check for their parent only every five seconds and between
    two batches, so a hanging worker would stay."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def remove_left_segments(workers):
    """Removes segments left by ended workers for tensors that did not fit; torch names segments by process id. A tensor
    of sharing_strategy file_system needs its name until it is freed."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        mapped = maps.read()
    for worker in workers:
        if worker.pid and worker.exitcode is not None:
            for segment in glob.glob(f"/dev/shm/torch_{worker.pid}_*"):
                if segment not in mapped:
                    with contextlib.suppress(OSError):
                        os.unlink(segment)


def draw(generator):
    """Draws a seed like torch.utils.data."""
    return int(torch.empty((), dtype=torch.int64).random_(generator=generator).item())


def set_epoch(sampler, epoch):
    if hasattr(sampler, "set_epoch"):
        sampler.set_epoch(epoch)


class UserLoader:
    """A DataLoader and its current iterator. `make_sampler`, `make_batch_sampler`: call the user's functions of these
    names; None: the file has none. `sampled`: Stacks, to sample the lines in which its reading spends time."""

    def __init__(self, data, options, make_sampler=None, make_batch_sampler=None, sampled=None):
        self.data = data
        self.options = options
        self.numbers = OwnNumbers(options["seed"])
        with self.numbers.exchanged():
            own_sampler = make_sampler and make_sampler()
            own_batch_sampler = make_batch_sampler and make_batch_sampler()
        self.refuse_what_contradicts(own_sampler, own_batch_sampler)
        workers = options["num_workers"]
        self.records = multiprocessing.sharedctypes.RawArray(ctypes.c_int64, (max(workers, 1) + 1) * timing.FIELDS)
        self.seeds = torch.Generator()
        self.seeds.manual_seed(options["seed"])
        user_data.seed_all(options["seed"])
        self.sampler = self.choose_sampler(own_sampler) if own_batch_sampler is None else own_batch_sampler
        self.order = None  # of the user's sampler
        self.makes_batches = own_batch_sampler is not None
        repeated = Endless(self.sampler) if options["joined"] else self.sampler
        arguments = {
            "num_workers": workers,
            "collate_fn": data.collate,
            "pin_memory": options["pin_memory"],
        }
        if own_batch_sampler is not None:
            self.order = OwnOrder(repeated, self.numbers)
        elif own_sampler is not None and options["batch_size"] is not None:
            self.order = OwnOrder(BatchSampler(repeated, options["batch_size"], options["drop_last"]), self.numbers)
        elif own_sampler is not None:
            self.order = OwnOrder(repeated, self.numbers)
        else:
            arguments["generator"] = self.seeds
        if self.order is not None and (own_batch_sampler is not None or options["batch_size"] is not None):
            arguments["batch_sampler"] = self.order
        else:
            arguments["batch_size"] = options["batch_size"]
            arguments["drop_last"] = options["drop_last"]
            if self.sampler is not None:
                arguments["sampler"] = repeated if self.order is None else self.order
        if workers > 0:
            arguments |= {
                "prefetch_factor": options["prefetch_factor"],
                "persistent_workers": options["persistent_workers"],
                "timeout": options["timeout_s"],
                "in_order": options["in_order"],
                "multiprocessing_context": options["start_method"],
                "worker_init_fn": WorkerInit(self.records, options, data.worker_init, sampled and sampled.path),
            }
            share_by(options["sharing_strategy"])
            timing.time_memory(self.records, workers)
        else:
            timing.install(self.records, 0, sampled and sampled.watch_here())
        self.loader = DataLoader(data.dataset, **arguments)
        self.iterator = None

    def refuse_what_contradicts(self, own_sampler, own_batch_sampler):
        """Raises UserError for contradictions that the DataLoader reports less clearly, or not at all."""
        options = self.options
        for made, name in ((own_sampler, "sampler"), (own_batch_sampler, "batch_sampler")):
            if made is not None and not hasattr(made, "__iter__"):
                raise UserError("data.path", f"{name}() returned {type(made).__name__}, which is not a sampler: it has no __iter__")
        if own_batch_sampler is None:
            if options["batch_size"] is None and options["drop_last"]:
                raise UserError("loader.drop_last", "without batch_size (null) each item of the data set is a batch, and "
                                "none is dropped; leave drop_last out")
            return
        if own_sampler is not None:
            raise UserError("data.path", "the file defines sampler() and batch_sampler(), which gives whole batches: leave "
                            "one of them out")
        if self.data.iterable:
            raise UserError("data.path", "an IterableDataset has no indices: it takes no batch_sampler()")
        for option in ("shuffle", "with_replacement", "drop_last"):
            if options[option]:
                name = "sampler" if option == "with_replacement" else option
                raise UserError(f"loader.{name}", f"the file defines batch_sampler(), which decides that; leave {name} out")
        if options["batch_size"] is None:
            raise UserError("loader.batch_size", "null means that items are batches, and the file defines batch_sampler(), "
                            "which makes batches of them; leave one of the two out")

    def choose_sampler(self, own_sampler):
        """Returns the sampler; None: the data set is iterable."""
        options = self.options
        dataset = self.data.dataset
        if self.data.iterable:
            for given, option in (
                (own_sampler is not None, "data.path"),
                (options["shuffle"], "loader.shuffle"),
                (options["with_replacement"], "loader.sampler"),
            ):
                if given:
                    raise UserError(option, "an IterableDataset has no indices: it takes no sampler and no shuffle")
            if options["joined"]:
                raise UserError(
                    "loader.epochs", "an IterableDataset ends by itself: set loader.epochs: separate, or let it never end"
                )
            return None
        if own_sampler is not None:
            if options["shuffle"] or options["with_replacement"]:
                raise UserError("loader.shuffle", "the file defines sampler(), which gives the order; leave shuffle out")
            return own_sampler
        if self.data.size() < 0:
            raise UserError("data.path", f"{type(dataset).__name__} has no __len__: only a sampler() of yours can order it")
        mirror = options["num_workers"] == 0
        if options["with_replacement"]:
            samples = options["num_samples"] or None
            return SeededSampler(dataset, self.seeds, mirror, replacement=True, num_samples=samples)
        if options["world"] > 1:
            return DistributedSampler(
                dataset, options["world"], options["rank"], shuffle=options["shuffle"], seed=options["seed"]
            )
        if options["shuffle"]:
            return SeededSampler(dataset, self.seeds, mirror)
        return SequentialSampler(dataset)

    def address(self):
        """Returns the address of the records."""
        return ctypes.addressof(self.records)

    def order_in_words(self):
        """Describes the order of the user's sampler; empty: the options determine the order."""
        if self.order is None:
            return ""
        which = "batch_sampler()" if self.makes_batches else "sampler()"
        return f"as {which} of {os.path.basename(self.data.path)} draws it, seed {self.options['seed']}"

    def samples_per_epoch(self):
        """Returns the length of the user's sampler; None: unknown, or epochs are joined."""
        try:
            return None if self.makes_batches or self.options["joined"] else len(self.sampler)
        except (TypeError, NotImplementedError):
            return None

    def first_indices(self):
        """Returns the first indices that the user's sampler yielded in this epoch, as far as kept."""
        return self.order.first if self.order is not None else []

    def begin_epoch(self, epoch):
        """Returns a new iterator, like `for batch in loader`."""
        if not self.options["persistent_workers"]:
            self.end_workers()  # of an epoch that was left early
        if self.order is None:
            if not self.options["joined"]:
                set_epoch(self.sampler, epoch)
            self.iterator = iter(self.loader)
        else:
            with self.numbers.exchanged():  # iter() draws the workers' seeds from it too
                if not self.options["joined"]:
                    set_epoch(self.sampler, epoch)
                self.iterator = iter(self.loader)
        if self.options["num_workers"] == 0:
            draw(None)  # as DataLoader does without a generator
        return self.iterator

    def batches(self):
        """Returns the batches per epoch; -1: unknown or endless."""
        if self.options["joined"] or self.data.iterable:
            return -1
        try:
            return len(self.loader)
        except (TypeError, NotImplementedError):
            return -1

    def outstanding(self):
        """Returns the number of batches requested from workers and not yet yielded."""
        return getattr(self.iterator, "_tasks_outstanding", 0)

    def worker_processes(self):
        """Returns the process ids of live workers."""
        return [worker.pid for worker in getattr(self.iterator, "_workers", []) if worker.pid and worker.exitcode is None]

    def ended_workers(self):
        """Returns a sentence about workers that ended abnormally; empty: none."""
        found = []
        for number, worker in enumerate(getattr(self.iterator, "_workers", [])):
            code = worker.exitcode
            if code:
                how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"
                found.append(f"loader worker {number} (pid {worker.pid}) {how}")
        return "; ".join(found)

    def end_workers(self):
        iterator, self.iterator = self.iterator, None
        if iterator is not None and hasattr(iterator, "_shutdown_workers"):
            iterator._shutdown_workers()
            remove_left_segments(iterator._workers)

    def close(self):
        self.end_workers()
        self.loader = None
