# SPDX-License-Identifier: Apache-2.0
"""A script as one of several processes started alike by torchrun, srun or mpirun: which rank reports, and what it
reports about the others."""
from __future__ import annotations

import os
import re
import sys

VARIABLES = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
FEW = 4


def _number(name: str, otherwise: int) -> int:
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() else otherwise


def speaks() -> bool:
    """True for the one rank that reports."""
    return place()[0] == 0


def place() -> tuple[int, int]:
    """Returns rank and world size: of the process group, else from the environment. Inconsistent variables mean a
    single process."""
    if (met := group()) is not None:
        return met
    rank, world = _number("RANK", 0), max(_number("WORLD_SIZE", 1), 1)
    return (rank, world) if rank < world else (0, 1)


def group() -> tuple[int, int] | None:
    """Returns rank and world size of torch.distributed; None: not initialized."""
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    return distributed.get_rank(), distributed.get_world_size()


def forgotten() -> str:
    """Returns a warning if rank variables look like leftovers of another job in the shell; else empty."""
    rank, world = os.environ.get("RANK", ""), os.environ.get("WORLD_SIZE", "")
    if "TORCHELASTIC_RUN_ID" in os.environ or _number("RANK", 0) < max(_number("WORLD_SIZE", 1), 1):
        return ""
    beside = f"WORLD_SIZE is {world}" if world else "WORLD_SIZE is not set"
    return f"RANK is {rank} and {beside}: this is measured as one process; env -u RANK -u WORLD_SIZE takes them away"


def unheard() -> str:
    """Returns a warning for a rank whose measurements rank 0 cannot collect because torch.distributed is not
    initialized."""
    rank, world = place()
    if "TORCHELASTIC_RUN_ID" in os.environ:  # rank 0 reports it
        return ""
    return (f"RANK is {rank} and WORLD_SIZE is {world}, so that rank 0 writes the results, and torch.distributed, through "
            "which it would hear of this one, is not initialized: nothing is recorded; where no other rank runs: env -u RANK "
            "-u WORLD_SIZE")


def not_recorded(why: str) -> str:
    """Returns a sentence about the ranks that are not recorded."""
    world = place()[1]
    others = [str(rank) for rank in range(1, world)]
    named = " and ".join(others) if len(others) <= 2 else ", ".join(others) if len(others) <= FEW else f"1 to {world - 1}"
    return (f"of {world} ranks rank 0 is recorded; what the steps of {'ranks' if world > 2 else 'rank'} {named} took is in no "
            f"file: {why}")


def hint(error: BaseException) -> str:
    """Returns a hint if the script needs variables that torchrun sets; empty: another error."""
    missing = error.args[0] if isinstance(error, KeyError) and error.args else ""
    if missing not in VARIABLES:
        found = re.search(r"environment variable (\w+) expected, but not set", str(error))
        missing = found.group(1) if found and found.group(1) in VARIABLES else ""
    if not missing:
        return ""
    return (f": torchrun sets {missing}, and `stepbench run` starts one process of a script. For several: stepbench run "
            "--ranks N ..., which sets it too; for one rank: env RANK=0 LOCAL_RANK=0 WORLD_SIZE=1 MASTER_ADDR=127.0.0.1 "
            "MASTER_PORT=29500 stepbench run ...")
