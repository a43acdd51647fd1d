# SPDX-License-Identifier: Apache-2.0
"""Callbacks for Lightning and for Hugging Face's Trainer, from stepbench_worker.callbacks."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stepbench_worker import callbacks

if TYPE_CHECKING:
    from stepbench_worker.callbacks import HuggingFaceCallback, LightningCallback

__all__ = ["HuggingFaceCallback", "LightningCallback"]


def __getattr__(name: str) -> Any:
    return getattr(callbacks, name)
