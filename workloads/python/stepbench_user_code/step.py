# SPDX-License-Identifier: Apache-2.0
"""workload: python_step. The user's step, and the record with which it marks phases."""
import functools
import inspect
import os

import torch

from stepbench_user_code import user_file
from stepbench_user_code.data import seed_all
from stepbench_user_code.user_file import UserError

WHERE = "step.path"
END = object()


class Phases(dict):
    """Marks of phases, by name."""

    def __missing__(self, name):
        raise UserError(WHERE, f"there is no phase {name!r}; there are {', '.join(self)}")


class Record:
    """The argument of a step: record.phase(name) and record.next(loader)."""

    def __init__(self, marks, border, facts):
        self.phase = Phases(marks).__getitem__
        self.device = facts["device"]
        self.rank = facts["rank"]
        self.world = facts["world"]
        self._border = border
        self._loaders = {}
        self._size = 0

    def next(self, loader):
        """Returns the next batch, in phase data_wait. When an epoch ends, the next one begins."""
        with self.phase("data_wait"):
            batch = self._next(loader)
        self._size += size_of(batch)
        return batch

    def _next(self, loader):
        known = self._loaders.get(id(loader))
        if known is not None:
            batch = next(known[1], END)
            if batch is not END:
                return batch
        epoch = 0 if known is None else known[2] + 1
        self._border(known is None)
        set_epoch = getattr(getattr(loader, "sampler", None), "set_epoch", None)
        if set_epoch is not None:
            set_epoch(epoch)
        iterator = iter(loader)
        # Keep the loader alive, so that its id stays unique.
        self._loaders[id(loader)] = (loader, iterator, epoch)
        batch = next(iterator, END)
        if batch is END:
            raise UserError(WHERE, "record.next(loader): the loader gives no batch")
        return batch

    def forget(self):
        self._loaders.clear()


def size_of(batch):
    """Returns the samples of a batch; 0: unknown."""
    while isinstance(batch, (tuple, list, dict)) and len(batch):
        batch = next(iter(batch.values())) if isinstance(batch, dict) else batch[0]
    return batch.shape[0] if isinstance(batch, torch.Tensor) and batch.dim() else 0


class Step:
    """The definitions of the file step.path: make(), which returns an object with step(record), or step(record)
    itself."""

    def __init__(self, path, texts, record, seed):
        self.path = path
        self.record = record
        self.made = None
        torch.manual_seed(seed)
        seed_all(seed)
        offered = {"device": record.device, "seed": seed, "rank": record.rank, "world": record.world}
        if user_file.optional(path, "make", WHERE) is not None:
            self.made = user_file.call(WHERE, path, "make", texts, offered)
            self.run = self.method("step") or self.made
        elif user_file.optional(path, "step", WHERE) is not None:
            self.run = plain_step(path, texts, offered)
        else:
            file = os.path.basename(path)
            there = user_file.functions_of(user_file.load(WHERE, path))
            raise UserError(WHERE, f"{file} has neither a function make() nor step(); it has: {there}")
        self.check()

    def check(self):
        file = os.path.basename(self.path)
        if not callable(self.run):
            raise UserError(
                WHERE, f"make() in {file} returned {type(self.made).__name__}; expected an object with step(self, record)"
            )
        try:
            inspect.signature(self.run).bind(self.record)
        except ValueError:
            return  # written in C: signature unknown
        except TypeError:
            takes = inspect.signature(self.run)
            raise UserError(WHERE, f"step{takes} in {file} is called with one argument, the record") from None

    def method(self, name):
        method = getattr(self.made, name, None)
        return method if callable(method) else None

    def set_up(self):
        if self.method("set_up"):
            self.method("set_up")()

    def tear_down(self):
        try:
            if self.method("tear_down"):
                self.method("tear_down")()
        finally:
            self.record.forget()
            self.made = self.run = None

    def steps_per_epoch(self):
        known = getattr(self.made, "steps_per_epoch", 0)
        return int(known() if callable(known) else known)

    def modules(self):
        """Returns the model, for module names in a profile; None: unknown."""
        model = getattr(self.made, "model", None)
        return model if isinstance(model, torch.nn.Module) else None

    def fingerprint(self):
        """Returns loss and gradient norm; None: unknown."""
        if not self.method("fingerprint"):
            return None, None
        result = self.method("fingerprint")()
        if not isinstance(result, dict):
            result = {"loss": result}
        for name, value in result.items():
            if name not in ("loss", "gradient_norm"):
                raise UserError(WHERE, f"fingerprint() returned {name!r}; there are loss and gradient_norm")
            try:
                result[name] = float(value)
            except (TypeError, ValueError):
                what = type(value).__name__
                raise UserError(WHERE, f"fingerprint() returned {what} for {name}; expected a number") from None
        return result.get("loss"), result.get("gradient_norm")

    def counts(self, result):
        """Returns samples and tokens from the result of step()."""
        size, self.record._size = self.record._size, 0
        if result is None:
            return size, 0
        counts = result if isinstance(result, dict) else {"samples": result}
        if not set(counts) <= {"samples", "tokens"} or not all(is_count(value) for value in counts.values()):
            shown = repr(result)
            shown = shown if len(shown) <= 80 else shown[:77] + "..."
            raise UserError(
                WHERE,
                f"step() returned {shown}; expected dict(samples=..., tokens=...) of whole numbers, the number of "
                "samples, or None",
            )
        return counts.get("samples", size), counts.get("tokens", 0)


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def plain_step(path, texts, offered):
    function = user_file.find(WHERE, path, "step")
    user_file.refuse_unknown(WHERE, path, "step", texts, ())
    arguments = user_file.arguments_for(function, texts, offered, positional=1)
    return functools.partial(function, **arguments) if arguments else function
