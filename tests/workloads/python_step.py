# SPDX-License-Identifier: Apache-2.0
"""One training or evaluation step in Python: a user's own loop with the options of a case of stepbench."""
import contextlib

import torch
from torch.nn import functional as F


def make_optimizer(parameters, case):
    kind, how = case.get("optimizer.kind", "sgd"), case.get("optimizer.implementation", "single")
    common = {"lr": float(case.get("optimizer.lr", 0.01)), "weight_decay": float(case.get("optimizer.weight_decay", 0)),
              "foreach": how == "foreach", "fused": how == "fused"}
    if kind == "sgd":
        return torch.optim.SGD(parameters, momentum=float(case.get("optimizer.momentum", 0)),
                               nesterov=case.get("optimizer.nesterov") == "true", **common)
    return {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[kind](parameters, **common)


def autocast(case):
    dtype = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(case.get("model.precision"))
    return torch.autocast(case.get("device", "cpu"), dtype) if dtype else contextlib.nullcontext()


class TrainStep:
    def __init__(self, model, case):
        self.model, self.case = model.train(), case
        self.optimizer = make_optimizer(list(model.parameters()), case)
        self.clip = float(case.get("optimizer.clip_norm", 0))
        self.scaler = torch.amp.GradScaler(case.get("device", "cpu")) if case.get("model.precision") == "fp16" else None

    def __call__(self, batch, target):
        self.optimizer.zero_grad()
        with autocast(self.case):
            output = self.model(batch)
            if output.dim() > 2:
                output, target = output.flatten(0, -2), target.flatten()
            loss = F.cross_entropy(output, target)
        (self.scaler.scale(loss) if self.scaler else loss).backward()
        if self.clip:
            if self.scaler:
                self.scaler.unscale_(self.optimizer)
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        if self.scaler:
            self.scaler.step(self.optimizer)
            self.scaler.update()
        else:
            self.optimizer.step()


class EvalStep:
    def __init__(self, model, case):
        self.model, self.case = model.eval(), case

    def __call__(self, batch, target):
        with torch.no_grad(), autocast(self.case):
            self.model(batch)


def make_step(model, case):
    return (EvalStep if case.get("workload") == "eval_step" else TrainStep)(model, case)
