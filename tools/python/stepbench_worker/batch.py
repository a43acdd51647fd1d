# SPDX-License-Identifier: Apache-2.0
"""How many samples a batch of a script has: the first length that is found in it."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


PLAIN = {int, float, str, bytes, bool, type(None)}  # without a shape


def samples_of(batch: Any) -> int:
    """The first dimension of the batch's first tensor or array; 0 where there is none. A list or tuple without tensors
    counts its entries."""
    found = _first_dimension(batch, 3)
    if found is not None:
        return found
    return len(batch) if isinstance(batch, (list, tuple)) else 0


def _first_dimension(value: Any, depth: int) -> int | None:
    shape = getattr(value, "shape", None)
    if shape is not None:
        return int(shape[0]) if len(shape) > 0 else None
    if depth == 0:
        return None
    if isinstance(value, Mapping):  # and the batches of Hugging Face's tokenizers
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return None
    for each in value:
        if type(each) in PLAIN:
            continue
        found = _first_dimension(each, depth - 1)
        if found is not None:
            return found
    return None


def sample_counter() -> Callable[[Any], int]:
    """samples_of() for the batches of one loop: it looks first where the batch before had its first tensor."""
    kind: type | None = None
    place: Any = None

    def count(batch: Any) -> int:
        nonlocal kind, place
        known = type(batch) is kind
        if known:
            try:
                samples: int = batch[place].shape[0]
                return samples
            except (AttributeError, IndexError, KeyError, TypeError):
                kind = None
        found = samples_of(batch)
        if isinstance(batch, (list, tuple, dict)) and batch:
            first = next(iter(batch)) if isinstance(batch, dict) else 0
            if len(getattr(batch[first], "shape", ())) > 0:
                kind, place = type(batch), first
        return found

    return count
