# SPDX-License-Identifier: Apache-2.0
"""A two-layer LSTM, a training step on 16 sequences of 64: the loop over time in C++, many small matrix products."""
import torch
from stepbench_worker import measure, phase, report
from torch import nn

def main():
    torch.manual_seed(0)
    lstm, head = nn.LSTM(128, 256, num_layers=2, batch_first=True), nn.Linear(256, 10)
    optimizer = torch.optim.SGD([*lstm.parameters(), *head.parameters()], lr=0.01)
    batches = [(torch.randn(16, 64, 128), torch.randint(10, (16,)))] * 400

    for series, labels in measure(batches):
        with phase("forward"):
            loss = nn.functional.cross_entropy(head(lstm(series)[0][:, -1]), labels)
        with phase("backward"):
            loss.backward()
        with phase("optimizer"):
            optimizer.step()
            optimizer.zero_grad()
        report(loss=loss)
