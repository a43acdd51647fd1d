# SPDX-License-Identifier: Apache-2.0
"""Limits a launch's share of a device's memory for versions of torch that lack the setting."""
from __future__ import annotations

import re
from collections.abc import MutableMapping
from importlib import import_module, metadata

SHARE = "per_process_memory_fraction"
KNOWN_FROM = (2, 10)


def keep_to_share(environment: MutableMapping[str, str]) -> None:
    """Call before torch is loaded. Older versions reject the setting and are limited by a call instead."""
    for name in ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"):
        settings = environment.get(name, "").split(",")
        shares = [setting for setting in settings if setting.startswith(SHARE + ":")]
        if not shares or _torch_version() >= KNOWN_FROM:
            continue
        others = ",".join(setting for setting in settings if setting not in shares)
        if others:
            environment[name] = others
        else:
            del environment[name]
        cuda = import_module("torch").cuda
        for device in range(cuda.device_count()):
            cuda.set_per_process_memory_fraction(float(shares[-1].partition(":")[2]), device)


def _torch_version() -> tuple[int, ...]:
    try:
        found = re.match(r"(\d+)\.(\d+)", metadata.version("torch"))
    except metadata.PackageNotFoundError:
        found = None
    return tuple(map(int, found.groups())) if found else KNOWN_FROM
