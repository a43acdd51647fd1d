# SPDX-License-Identifier: Apache-2.0
"""GPT-2 and BERT written from their papers over a flat dictionary of weights, with attention as a plain softmax:
references for the C++ models."""
import math

import torch
from torch.nn.functional import gelu, layer_norm, linear

HEAD_WIDTHS = {32: 16, 768: 64}  # by the width of the model


def attention(q, k, v, causal):
    batch, positions, width = q.shape
    head = HEAD_WIDTHS[width]
    q, k, v = (x.view(batch, positions, width // head, head).transpose(1, 2) for x in (q, k, v))
    scores = q @ k.transpose(-2, -1) / math.sqrt(head)
    if causal:
        scores = scores.masked_fill(torch.ones(positions, positions).triu(1).bool(), -math.inf)
    return (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, positions, width)


class Weights:
    def __init__(self, tensors):
        self.tensors = tensors

    def dense(self, name, x):
        return linear(x, self.tensors[name + ".weight"], self.tensors[name + ".bias"])

    def norm(self, name, x, eps):
        return layer_norm(x, x.shape[-1:], self.tensors[name + ".weight"], self.tensors[name + ".bias"], eps)

    def blocks(self, prefix):
        return 1 + max(int(n[len(prefix):].split(".")[0]) for n in self.tensors if n.startswith(prefix))


def gpt(tensors, tokens):
    w = Weights(tensors)
    x = tensors["transformer.wte.weight"][tokens] + tensors["transformer.wpe.weight"][:tokens.shape[1]]
    for i in range(w.blocks("transformer.h.")):
        name = f"transformer.h.{i}."
        q, k, v = w.dense(name + "attn.c_attn", w.norm(name + "ln_1", x, 1e-5)).chunk(3, -1)
        x = x + w.dense(name + "attn.c_proj", attention(q, k, v, causal=True))
        x = x + w.dense(name + "mlp.c_proj", gelu(w.dense(name + "mlp.c_fc", w.norm(name + "ln_2", x, 1e-5))))
    return w.norm("transformer.ln_f", x, 1e-5) @ tensors["transformer.wte.weight"].T


def gpt_text(tensors, prompts, tokens=16):
    """Generates the most likely tokens, each by a whole forward pass without a cache."""
    text = prompts
    for _ in range(tokens):
        text = torch.cat([text, gpt(tensors, text)[:, -1].argmax(-1, keepdim=True)], 1)
    return text[:, prompts.shape[1]:]


def bert_base(tensors, tokens):
    w = Weights(tensors)
    words = tensors["bert.embeddings.word_embeddings.weight"]
    x = (words[tokens] + tensors["bert.embeddings.position_embeddings.weight"][:tokens.shape[1]]
         + tensors["bert.embeddings.token_type_embeddings.weight"][0])
    x = w.norm("bert.embeddings.LayerNorm", x, 1e-12)
    for i in range(w.blocks("bert.encoder.layer.")):
        name = f"bert.encoder.layer.{i}."
        q, k, v = (w.dense(name + "attention.self." + which, x) for which in ("query", "key", "value"))
        attended = w.dense(name + "attention.output.dense", attention(q, k, v, causal=False))
        x = w.norm(name + "attention.output.LayerNorm", x + attended, 1e-12)
        y = w.dense(name + "output.dense", gelu(w.dense(name + "intermediate.dense", x)))
        x = w.norm(name + "output.LayerNorm", x + y, 1e-12)
    x = w.norm("cls.predictions.transform.LayerNorm", gelu(w.dense("cls.predictions.transform.dense", x)), 1e-12)
    return x @ words.T + tensors["cls.predictions.bias"]
