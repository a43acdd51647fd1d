# SPDX-License-Identifier: Apache-2.0
"""A script as one of several processes, which torchrun, srun or mpirun start alike: who of them speaks, and what is said
of the others."""
from __future__ import annotations

import os
import re

VARIABLES = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
FEW = 4


def _number(name: str, otherwise: int) -> int:
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() else otherwise


def speaks() -> bool:
    """One of them does."""
    return _number("RANK", 0) == 0


def place() -> tuple[int, int]:
    """This rank, and how many there are."""
    world = max(_number("WORLD_SIZE", 1), 1)
    return min(_number("RANK", 0), world - 1), world


def not_recorded(why: str) -> str:
    """In one sentence, of several."""
    world = _number("WORLD_SIZE", 1)
    others = [str(rank) for rank in range(1, world)]
    named = " and ".join(others) if len(others) <= 2 else ", ".join(others) if len(others) <= FEW else f"1 to {world - 1}"
    return (f"of {world} ranks rank 0 is recorded; what the steps of {'ranks' if world > 2 else 'rank'} {named} took is in no "
            f"file: {why}")


def hint(error: BaseException) -> str:
    """Of a script that asks for what torchrun tells it; empty: it is another error."""
    missing = error.args[0] if isinstance(error, KeyError) and error.args else ""
    if missing not in VARIABLES:
        found = re.search(r"environment variable (\w+) expected, but not set", str(error))
        missing = found.group(1) if found and found.group(1) in VARIABLES else ""
    if not missing:
        return ""
    return (f": torchrun sets {missing}, and `stepbench run` starts one process of a script. For several: stepbench run "
            "--ranks N ..., which sets it too; for one rank: env RANK=0 LOCAL_RANK=0 WORLD_SIZE=1 MASTER_ADDR=127.0.0.1 "
            "MASTER_PORT=29500 stepbench run ...")
