# SPDX-License-Identifier: Apache-2.0
"""Page faults and CPU time of a step of an MLP with AdamW, without stepbench: page_faults.py [free | without] [foreach]

free: frees one buffer of 1,028 KiB before the model is made, as importing cuda.bindings does.
without: does not let torch import cuda.bindings.
"""
import resource
import statistics
import sys
import time

if "without" in sys.argv:
    sys.modules["cuda.bindings"] = None
import torch
from torch import nn

if "free" in sys.argv:
    bytearray(1028 << 10)
torch.set_num_threads(1)
net = nn.Sequential(*(layer for _ in range(13) for layer in (nn.Linear(512, 512), nn.ReLU())))
optimizer = torch.optim.AdamW(net.parameters(), **{"foreach" if "foreach" in sys.argv else "fused": True})
x, milliseconds, faults = torch.randn(32, 512), [], []
for _ in range(80):
    start, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    net(x).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    milliseconds.append(1e3 * (time.process_time() - start))
    faults.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
print(torch.__version__, *sys.argv[1:], f"{statistics.median(milliseconds[20:]):.2f} ms",
      f"{statistics.median(faults[20:]):.0f} faults")
