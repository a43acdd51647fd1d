# SPDX-License-Identifier: Apache-2.0
"""Callbacks for frameworks that own the training loop:

    from stepbench_worker.callbacks import LightningCallback     # Trainer(callbacks=[LightningCallback()])
    from stepbench_worker.callbacks import HuggingFaceCallback   # Trainer(..., callbacks=[HuggingFaceCallback()])

They take the same schedule as measure(). A framework is imported only with its callback."""
from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .hugging_face import HuggingFaceCallback
    from .lightning import LightningCallback

__all__ = ["HuggingFaceCallback", "LightningCallback"]

_PLACES = {"HuggingFaceCallback": "hugging_face", "LightningCallback": "lightning"}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"{__name__} has no {name}; it has {', '.join(__all__)}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
