# SPDX-License-Identifier: Apache-2.0
"""loader.engine: iterable. Takes batches from whatever loader() of the user's file returns: a library's loader, a
generator, a list."""
import itertools
import multiprocessing
import os
import sys
import threading
import time

import torch

from stepbench_user_code import data as user_data
from stepbench_user_code import user_file
from stepbench_user_code.loader_options import DEFAULTS, OF_ENGINE_PYTHON
from stepbench_user_code.user_file import Absent, Unavailable, UserError

# Options under `loader` that loader() may take by name.
OFFERED = [name for name in DEFAULTS if name not in OF_ENGINE_PYTHON]
NEUTRAL = DEFAULTS | {"batch_size": None}  # says nothing that loader() would have to take
ALWAYS_OFFERED = ("seed", "rank", "world")
PATIENCE_S = 2  # for threads and processes that end when their loader is released
END = object()


def kernel_name(task):
    """Returns the name of a thread or process, because its id differs between launches."""
    try:
        with open(f"/proc/{task}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return "that ended meanwhile"


class UserIterable:
    """The iterable and its epochs. Also stands in for UserData: its first batch shows the data."""

    def __init__(self, path):
        self.path = path
        self.file = os.path.basename(path)
        self.function = user_file.find("data.path", path, "loader")
        self.items_are_batches = True
        self.iterable = None
        self.first = None  # first batch; a copy, because its memory may be reused
        self.began = []  # (threads, processes) of the loader

    def open(self, options, make):
        """Calls loader() with the `options` that it accepts. `make`: calls it with the offered options."""
        named, _ = user_file.parameters_of(self.function)
        takes = {parameter.name for parameter in named}
        for name in OFFERED:
            if options[name] != NEUTRAL[name] and name not in takes:
                raise UserError(f"loader.{name}", f"{options[name]} is for loader() of {self.file} to take, and it has no "
                                f"parameter {name}: give it one, or leave {name} out")
        self.offered = {name: options[name] for name in (*OFFERED, *ALWAYS_OFFERED)}
        self.batch_size = options["batch_size"]
        self.make = make
        self.before = living()
        user_data.seed_all(options["seed"])
        self.iterable = self.call()
        if not hasattr(self.iterable, "__iter__") and not hasattr(self.iterable, "__getitem__"):
            raise UserError("data.path", f"loader() of {self.file} returned {type(self.iterable).__name__}, which is not "
                            "an iterable of batches: it has no __iter__")

    def call(self):
        try:
            return self.make(self.offered)
        except Absent as error:
            self.lacks(error.module)

    def lacks(self, module):
        package = module.partition(".")[0]
        raise Unavailable(f"loader() of {self.file} needs the module {package}, which is not installed: "
                          f"{sys.executable} -m pip install {package}") from None

    def begin_epoch(self, epoch):
        """Returns an iterator over an epoch's batches. Takes the very first batch at once, because it shows what
        batches are."""
        if epoch == 0:
            return self.begin_first()
        iterator = iter(self.iterable)
        if iterator is not self.iterable:
            return iterator
        # An iterator, such as a generator, allows only one pass.
        fresh = self.call()
        if fresh is self.iterable:
            raise UserError("data.path", f"loader() of {self.file} returned the same {type(fresh).__name__} again, which "
                            "has ended: let it make a new one at each call, or return an object whose __iter__ begins anew")
        self.iterable = fresh
        return iter(fresh)

    def begin_first(self):
        try:
            iterator = iter(self.iterable)
            first = next(iterator, END)
        except ModuleNotFoundError as error:
            self.lacks(error.name or str(error))
        if first is END:
            raise UserError("data.path", f"loader() of {self.file} gave no batch: its {type(self.iterable).__name__} ended at "
                            "once")
        self.first = copied(first)
        self.began = [now - before for now, before in zip(living(), self.before)]
        return itertools.chain([first], iterator)

    def batches(self):
        """Returns the batches per epoch; -1: unknown."""
        try:
            return len(self.iterable)
        except (TypeError, NotImplementedError, AttributeError):
            return -1

    def threads(self):
        """Returns kernel ids of the threads that began with the loader."""
        return sorted(self.began[0]) if self.began else []

    def processes(self):
        return sorted(self.began[1]) if self.began else []

    def close(self):
        """Releases the loader. Returns a sentence about threads and processes that still run; empty: none."""
        self.iterable = None
        self.make = None
        if not self.began:
            return ""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            left = [began & now for began, now in zip(self.began, living())]
            if not any(left) or time.monotonic() > deadline:
                break
            time.sleep(0.01)
        for child in multiprocessing.active_children():
            if child.pid in left[1]:
                child.terminate()
        names = {thread.native_id: thread.name for thread in threading.enumerate()}
        words = [f"thread {names.get(tid) or kernel_name(tid)}" for tid in sorted(left[0])]
        words += [f"process {kernel_name(pid)}" for pid in sorted(left[1])]
        if not words:
            return ""
        different = list(dict.fromkeys(words))
        shown = ", ".join(different[:4]) + (", ..." if len(different) > 4 else "")
        return (f"of what loader() of {self.file} began, {len(words)} went on after its iterable was let go of: {shown}; in a "
                "training script they would stay beside what follows")

    # The same interface as UserData of data.py.

    def size(self):
        return -1

    def classes(self):
        for source in (self.iterable, getattr(self.iterable, "dataset", None)):
            for name in ("classes", "num_classes"):
                known = getattr(source, name, None)
                if isinstance(known, int):
                    return known
                if hasattr(known, "__len__"):
                    return len(known)
        return 0

    def class_names(self):
        return []

    def first_batch(self, size, seed):
        """Returns the first samples of this launch's first batch, repeated if it has fewer."""
        return user_data.rows_of(self.first, size)

    def digest(self):
        return f"{user_file.digest([self.path])}-iterable"

    def refuse_other(self, number, batch):
        """Raises UserError for a batch that differs from the first."""
        raise UserError("data.path", f"batch {number} of loader() is {user_data.in_words(batch)}, and the first one was "
                        f"{user_data.in_words(self.first)}: type, number of tensors and of dimensions must stay")

    def refuse_empty(self, epoch):
        raise UserError("data.path", f"the iterable of loader() gave batches in epoch 0 and none in epoch {epoch}: let its "
                        "__iter__ begin anew, or loader() be a generator, which is called for each epoch")

    def refuse_size(self, number, size):
        raise UserError("loader.batch_size", f"is {self.batch_size}, and batch {number} of loader() has {size} samples: let "
                        "loader() make batches of batch_size, or leave batch_size out")


def copied(batch):
    if isinstance(batch, torch.Tensor):
        return batch.clone()
    if isinstance(batch, dict):
        return {name: copied(each) for name, each in batch.items()}
    if isinstance(batch, (tuple, list)):
        return [copied(each) for each in batch]
    return batch


def living():
    """Returns the ids of this process's threads and of its children."""
    own = f"/proc/{os.getpid()}/task"
    threads = {int(tid) for tid in os.listdir(own)}
    children = set()
    for tid in threads:
        try:
            with open(f"{own}/{tid}/children", encoding="ascii") as file:
                children.update(map(int, file.read().split()))
        except OSError:
            pass
    return [threads, children]


def leave_if_held(status):
    """Ends the process if user threads still run, which would keep the interpreter alive forever; does not return
    then."""
    held = [t for t in threading.enumerate() if t is not threading.main_thread() and not t.daemon]
    if held:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
