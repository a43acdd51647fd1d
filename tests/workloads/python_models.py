# SPDX-License-Identifier: Apache-2.0
"""The models of a Python user: torchvision's, and GPT-2 and BERT written with torch.nn like nanoGPT and the
published BERT. References for stepbench's steps."""
import torch
from torch import nn
from torch.nn import functional as F


def attend(q, k, v, heads, causal, dropout):
    batch, positions, width = q.shape
    q, k, v = (x.view(batch, positions, heads, width // heads).transpose(1, 2) for x in (q, k, v))
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=dropout, is_causal=causal)
    return out.transpose(1, 2).contiguous().view(batch, positions, width)


class GptBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.c_fc, self.c_out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.gelu = nn.GELU()
        self.resid_dropout, self.dropout = nn.Dropout(0.0), nn.Dropout(0.0)

    def forward(self, x):
        q, k, v = self.c_attn(self.ln_1(x)).split(x.size(-1), dim=2)
        x = x + self.resid_dropout(self.c_proj(attend(q, k, v, self.heads, causal=True, dropout=0)))
        return x + self.dropout(self.c_out(self.gelu(self.c_fc(self.ln_2(x)))))


class Gpt(nn.Module):
    def __init__(self, vocabulary, positions, layers, heads, width):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(positions, width)
        self.drop = nn.Dropout(0.0)
        self.h = nn.ModuleList(GptBlock(width, heads) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)
        self.lm_head = nn.Linear(width, vocabulary, bias=False)
        self.wte.weight = self.lm_head.weight

    def forward(self, tokens):
        positions = torch.arange(0, tokens.size(1), dtype=torch.long, device=tokens.device)
        x = self.drop(self.wte(tokens) + self.wpe(positions))
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


class BertLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.attended, self.attended_norm = nn.Linear(width, width), nn.LayerNorm(width, eps=1e-12)
        self.intermediate = nn.Linear(width, 4 * width)
        self.output, self.output_norm = nn.Linear(4 * width, width), nn.LayerNorm(width, eps=1e-12)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        dropout = 0.1 if self.training else 0.0
        attended = attend(self.query(x), self.key(x), self.value(x), self.heads, causal=False, dropout=dropout)
        x = self.attended_norm(self.dropout(self.attended(attended)) + x)
        return self.output_norm(self.dropout(self.output(F.gelu(self.intermediate(x)))) + x)


class Bert(nn.Module):
    def __init__(self, vocabulary, positions, layers, heads, width):
        super().__init__()
        self.words, self.types = nn.Embedding(vocabulary, width), nn.Embedding(2, width)
        self.positions = nn.Embedding(positions, width)
        self.norm, self.dropout = nn.LayerNorm(width, eps=1e-12), nn.Dropout(0.1)
        self.layers = nn.ModuleList(BertLayer(width, heads) for _ in range(layers))
        self.transform, self.transform_norm = nn.Linear(width, width), nn.LayerNorm(width, eps=1e-12)
        self.decoder = nn.Linear(width, vocabulary)
        self.decoder.weight = self.words.weight
        self.register_buffer("position_ids", torch.arange(positions).unsqueeze(0))
        self.register_buffer("token_types", torch.zeros(1, positions, dtype=torch.long))

    def forward(self, tokens):
        x = self.words(tokens) + self.types(self.token_types.expand_as(tokens))
        x = x + self.positions(self.position_ids)
        x = self.dropout(self.norm(x))
        for layer in self.layers:
            x = layer(x)
        return self.decoder(self.transform_norm(F.gelu(self.transform(x))))


class Mlp(nn.Module):
    def __init__(self, features, hidden, classes):
        super().__init__()
        self.hidden, self.head = nn.Linear(features, hidden), nn.Linear(hidden, classes)

    def forward(self, x):
        return self.head(F.relu(self.hidden(x.flatten(1)), inplace=True))


def image_model(kind, size, image_size, classes):
    import torchvision  # here, because it takes seconds and not every user of this file needs it
    if kind == "mlp":
        return Mlp(3 * image_size * image_size, 32 if size == "tiny" else 1024, classes)
    if kind == "vit_b16":
        shape = {"num_layers": 2, "num_heads": 2, "hidden_dim": 32, "mlp_dim": 64} if size == "tiny" else {
            "num_layers": 12, "num_heads": 12, "hidden_dim": 768, "mlp_dim": 3072}
        return torchvision.models.VisionTransformer(image_size=image_size, patch_size=16, num_classes=classes, **shape)
    return getattr(torchvision.models, kind)(num_classes=classes)


def token_model(kind, size, vocabulary, positions, layers=None):
    standard_layers, heads, width = (2, 2, 32) if size == "tiny" else (12, 12, 768)
    return {"gpt": Gpt, "bert_base": Bert}[kind](vocabulary, positions, layers or standard_layers, heads, width)


def is_token_model(kind):
    return kind in ("gpt", "bert_base")
