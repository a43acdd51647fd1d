# SPDX-License-Identifier: Apache-2.0
"""An embedding bag with sparse gradients, as recommenders have: 512 bags of 20 out of 200,000 rows, SparseAdam."""
import torch
from stepbench_worker import measure, phase, report
from torch import nn

def main():
    torch.manual_seed(0)
    bag, head = nn.EmbeddingBag(200_000, 64, mode="sum", sparse=True), nn.Linear(64, 1)
    sparse, dense = torch.optim.SparseAdam(bag.parameters(), lr=1e-3), torch.optim.SGD(head.parameters(), lr=0.01)
    batches = [(torch.randint(200_000, (512, 20)), torch.rand(512)) for _ in range(8)] * 100

    for rows, clicks in measure(batches):
        with phase("forward"):
            loss = nn.functional.binary_cross_entropy_with_logits(head(bag(rows)).squeeze(1), clicks)
        with phase("backward"):
            loss.backward()
        with phase("optimizer"):
            sparse.step()
            dense.step()
            sparse.zero_grad()
            dense.zero_grad()
        report(loss=loss)
