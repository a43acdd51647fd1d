# SPDX-License-Identifier: Apache-2.0
"""A torch.compile'd training step of a small transformer layer: what the inductor makes of it for a CPU."""
import torch
from stepbench_worker import measure, phase, report
from torch import nn

def main():
    torch.manual_seed(0)
    net = nn.Sequential(nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, batch_first=True), nn.Linear(128, 128))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    batches = [(torch.randn(8, 128, 128), torch.randn(8, 128, 128))] * 400

    @torch.compile
    def loss_of(x, target):
        return nn.functional.gelu(net(x) - target).square().mean()

    for x, target in measure(batches):
        with phase("forward"):
            loss = loss_of(x, target)
        with phase("backward"):
            loss.backward()
        with phase("optimizer"):
            optimizer.step()
            optimizer.zero_grad()
        report(loss=loss)
