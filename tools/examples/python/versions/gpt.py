# SPDX-License-Identifier: Apache-2.0
"""A small GPT: a training step on 4 x 128 tokens, and `generate`, 32 tokens one by one with a cache of keys and values."""
import torch
from stepbench_worker import measure, phase, report
from torch import nn

VOCABULARY, WIDTH, HEADS, LAYERS, LENGTH = 4096, 192, 6, 4, 128


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x, cache=None):
        q, k, v = self.qkv(self.norms[0](x)).unflatten(-1, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
        if cache is not None:
            k, v = cache[:] = [torch.cat((old, new), 2) for old, new in zip(cache, (k, v))] if cache else [k, v]
        x = x + self.out(nn.functional.scaled_dot_product_attention(q, k, v, is_causal=q.size(2) > 1).transpose(1, 2).flatten(2))
        return x + self.mlp(self.norms[1](x))


def main(loop):
    torch.manual_seed(0)
    tokens, places = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
    blocks, head = nn.ModuleList(Block() for _ in range(LAYERS)), nn.Linear(WIDTH, VOCABULARY)
    optimizer = torch.optim.AdamW([p for part in (tokens, places, blocks, head) for p in part.parameters()], lr=1e-3)
    text = torch.randint(VOCABULARY, (4, LENGTH + 1))

    if loop == "train":
        for batch in measure([text] * 400):
            with phase("forward"):
                x = tokens(batch[:, :-1]) + places.weight
                for block in blocks:
                    x = block(x)
                loss = nn.functional.cross_entropy(head(x).flatten(0, 1), batch[:, 1:].flatten())
            with phase("backward"):
                loss.backward()
            with phase("optimizer"):
                optimizer.step()
                optimizer.zero_grad()
            report(loss=loss)
    else:
        for prompt in measure([text[:, :16]] * 400):
            with torch.inference_mode():
                caches, x, place = [[] for _ in blocks], prompt, 0
                for _ in range(32):
                    hidden = tokens(x) + places.weight[place:place + x.size(1)]
                    for block, cache in zip(blocks, caches):
                        hidden = block(hidden, cache)
                    place, x = place + x.size(1), head(hidden[:, -1:]).argmax(-1)
