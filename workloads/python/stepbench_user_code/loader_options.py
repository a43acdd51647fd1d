# SPDX-License-Identifier: Apache-2.0
"""The options of section `loader` that Python's loaders take."""

# As in the catalogue: a case lacks options that do not apply to it.
DEFAULTS = {
    "batch_size": 1,
    "shuffle": False,
    "num_workers": 0,
    "prefetch_factor": 2,
    "drop_last": False,
    "pin_memory": False,
    "persistent_workers": False,
    "timeout_s": 0,
    "in_order": True,
    "threads_per_worker": 1,
    "num_samples": 0,
    "switch_interval_us": 5000,
    "start_method": "fork",
    "sharing_strategy": "",
}
OF_ENGINE_PYTHON = {"num_samples", "switch_interval_us", "start_method", "sharing_strategy"}
ITEMS_ARE_BATCHES = "null"  # value of loader.batch_size


def loader_options(case, rank=0, world=1):
    """The options by name, and what others make of them. `case`: a case's options by full name. A batch_size of None:
    the data determines it."""

    def value(option, default):
        given = case.get(option)
        return default if given is None else given

    options = {name: value(f"loader.{name}", default) for name, default in DEFAULTS.items()}
    if options["batch_size"] == ITEMS_ARE_BATCHES:
        options["batch_size"] = None
    return options | {
        "seed": value("loader.seed", value("seed", 0)),
        "joined": case.get("loader.epochs") == "joined",
        "with_replacement": case.get("loader.sampler") == "random_with_replacement",
        "rank": rank,
        "world": world,
    }
