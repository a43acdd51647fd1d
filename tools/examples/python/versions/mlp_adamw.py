# SPDX-License-Identifier: Apache-2.0
"""An MLP with AdamW, whose update is half of the step: mlp_adamw.py foreach (or fused)."""
import torch
from stepbench_worker import measure, phase, report
from torch import nn

def main(implementation):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(512, 512), *(layer for _ in range(12) for layer in (nn.ReLU(), nn.Linear(512, 512))))
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, **{implementation: True})
    batches = [torch.randn(32, 512)] * 1000

    for x in measure(batches):
        with phase("forward"):
            loss = net(x).square().mean()
        with phase("backward"):
            loss.backward()
        with phase("optimizer"):
            optimizer.step()
            optimizer.zero_grad()
        report(loss=loss)
