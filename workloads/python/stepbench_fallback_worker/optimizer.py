# SPDX-License-Identifier: Apache-2.0
"""Makes the torch.optim class of optimizer.kind."""
import torch


def make_optimizer(case, parameters):
    kind = case.get("optimizer.kind")
    implementation = case.get("optimizer.implementation")
    given = {
        "lr": case.get("optimizer.lr"),
        "weight_decay": case.get("optimizer.weight_decay", 0.0),
        "foreach": implementation == "foreach",
        "fused": implementation == "fused",
    }
    if kind == "sgd":
        given |= {"momentum": case.get("optimizer.momentum", 0.0), "nesterov": case.get("optimizer.nesterov", False)}
        return torch.optim.SGD(parameters, **given)
    given |= {"betas": (case.get("optimizer.beta1"), case.get("optimizer.beta2")), "eps": case.get("optimizer.eps")}
    return {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[kind](parameters, **given)
