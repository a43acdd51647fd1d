# SPDX-License-Identifier: Apache-2.0
"""Ranks that work for a known time and then wait for each other: ranks_wait.py MS_OF_RANK_0 MS_OF_RANK_1 [MIB_OF_RANK_1]."""
import sys
import time

import torch
import torch.distributed as dist
from stepbench_worker import measure, phase


def main() -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    work_s = float(sys.argv[1 + rank]) / 1000
    mebibytes = float(sys.argv[3]) if rank == 1 and len(sys.argv) > 3 else 0
    kept = torch.ones(int(mebibytes * 2**18))
    total = torch.ones(1)
    for _ in measure(range(10000)):
        with phase("forward"):
            time.sleep(work_s)
        with phase("backward"):
            dist.all_reduce(total)
    del kept
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
