# SPDX-License-Identifier: Apache-2.0
"""A case as sent by the controller."""
from stepbench_user_code import user_file
from stepbench_user_code.user_file import UserError

DEFAULTS = {
    "device": "cpu",
    "seed": 0,
    "model.precision": "fp32",
    "model.loss": "cross_entropy",
    "model.memory_format": "contiguous",
    "model.accumulate": 1,
    "transfer.placement": "inline",
    "optimizer.kind": "sgd",
    "optimizer.implementation": "single",
    "optimizer.lr": 0.01,
    "optimizer.beta1": 0.9,
    "optimizer.beta2": 0.999,
    "optimizer.eps": 1e-8,
    "optimizer.set_to_none": True,
}


class Case:
    """Options by name; missing ones have the defaults of stepbench's catalogue. `why`, `remedy`: why no module could be
    loaded, and what to do."""

    def __init__(self, message, why, remedy):
        self.message = message
        self.workload = message["workload"]
        self.options = message.get("options", {})
        self.rank = message.get("rank", 0)
        self.world = message.get("world", 1)
        self.why = why
        self.remedy = remedy
        self.arguments = {
            name.partition(".")[2]: str(value).lower() if isinstance(value, bool) else str(value)
            for name, value in self.options.items()
            if name.startswith("python.") and value is not None
        }

    def get(self, option, default=0):
        """Returns `default` if neither the case nor the catalogue has a value."""
        value = self.options.get(option)
        return DEFAULTS.get(option, default) if value is None else value

    def takes_iterable(self):
        """True if batches come from loader() of the user's file instead of a Dataset."""
        return self.options.get("loader.engine") == "iterable"

    def refuse(self, option, what):
        """Raises UserError for a feature that only the C++ worker has."""
        reason = f"{self.why}: {self.remedy}" if self.remedy else self.why
        raise UserError(option, f"{what} is computed by stepbench's C++, which no interpreter here can host: {reason}")

    def functions(self):
        """Returns (option, path, function) of all functions that take the user's arguments."""
        found = []
        if self.options.get("data.kind") == "python":
            path = self.get("data.path")
            names = ("loader",) if self.takes_iterable() else ("dataset", "sampler", "batch_sampler")
            found += [("data.path", path, name) for name in names]
        if self.options.get("model.kind") == "python":
            found.append(("model.path", self.get("model.path"), "model"))
        return found

    def call(self, option, path, name, offered, positional=()):
        """Calls a function of the user's file."""
        return user_file.call(option, path, name, self.arguments, offered, self.functions(), positional)

    def optional(self, option, path, name, offered, positional):
        """Like call(); None: the file has no function of that name."""
        there = user_file.optional(path, name, option) is not None
        return self.call(option, path, name, offered, positional) if there else None
