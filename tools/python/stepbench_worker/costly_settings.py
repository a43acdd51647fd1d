# SPDX-License-Identifier: Apache-2.0
"""Detects torch settings and layers of a script's model that waste time. They are checked when windows begin and end.
The script's own code is changed in one place: in a window torch.set_anomaly_enabled also records its calls."""
from __future__ import annotations

import gc
import sys
from typing import Any

NAMED = 3  # most layers named in a finding


class AnomalyMode:
    """Detects autograd's anomaly mode in a window, even if it is on for only a part of a step."""

    def __init__(self) -> None:
        self.seen = False
        self._torch: Any = None
        self._switch: Any = None

    def begin(self) -> None:
        torch: Any = sys.modules.get("torch")
        if torch is None or self._torch is not None or not hasattr(torch, "set_anomaly_enabled"):
            return
        self.seen |= torch.is_anomaly_enabled()
        # detect_anomaly() and set_detect_anomaly() both look it up under this name.
        self._torch, self._switch = torch, torch.set_anomaly_enabled
        torch.set_anomaly_enabled = self._switched

    def end(self) -> None:
        if self._torch is not None:
            self._torch.set_anomaly_enabled = self._switch
            self._torch = None

    def _switched(self, mode: bool, *more: Any, **named: Any) -> None:
        self.seen |= bool(mode)
        self._switch(mode, *more, **named)

    def findings(self) -> list[dict[str, Any]]:
        if not self.seen:
            return []
        return [{
            "id": "script.anomaly_mode", "severity": "problem",
            "text": "autograd's anomaly mode is on: each operation keeps where it was called from, and each gradient is "
                    "searched for NaN",
            "value": 1, "threshold": 0, "unit": "", "evidence": ["backward_ns"],
            "remedy": "It is for finding an error: leave out torch.autograd.detect_anomaly() and set_detect_anomaly(True)."}]


def biased_norms(modules: list[Any], nn: Any) -> list[str]:
    """Returns layers whose learned bias is removed by the following batch norm, as "Conv2d(3, 64) before
    BatchNorm2d(64)": in nn.Sequential, or declared one after the other with equally many channels."""
    found = {}
    for parent in modules:
        children = [each for each in parent._modules.values() if each is not None]
        for layer, norm in zip(children, children[1:]):
            if not isinstance(norm, nn.modules.batchnorm._BatchNorm) or not norm.training:
                continue
            bias = getattr(layer, "bias", None)
            if isinstance(layer, nn.modules.conv._ConvNd):
                ends = (layer.in_channels, layer.out_channels)
            elif isinstance(layer, nn.Linear):
                ends = (layer.in_features, layer.out_features)
            else:
                continue
            if bias is not None and bias.requires_grad and ends[1] == norm.num_features:
                found[id(layer)] = f"{type(layer).__name__}({ends[0]}, {ends[1]}) before {type(norm).__name__}({ends[1]})"
    return list(found.values())


def findings_of_layers(way: str) -> list[dict[str, Any]]:
    """Call after the last window. `way`: setting of Python's garbage collector, which also lists the modules that
    exist."""
    torch = sys.modules.get("torch")
    nn = getattr(torch, "nn", None)
    if nn is None:
        return []
    if way == "freeze":
        gc.unfreeze()
    # type(), because isinstance() calls into the object, and deprecated objects of torch then warn.
    layers = biased_norms([each for each in gc.get_objects() if issubclass(type(each), nn.Module)], nn)
    if not layers:
        return []
    count = len(layers)
    named = ", ".join(sorted(set(layers))[:NAMED])
    return [{
        "id": "script.bias_before_norm", "severity": "info",
        "text": f"{count} layer{'s have' if count > 1 else ' has'} a bias that the batch norm behind takes out again: {named}",
        "value": count, "threshold": 0, "unit": "layers", "evidence": ["forward_ns", "backward_ns"],
        "remedy": "bias=False for them: the norm's own bias stands for it, and its gradient need not be summed up."}]
