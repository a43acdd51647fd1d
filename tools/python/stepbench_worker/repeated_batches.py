# SPDX-License-Identifier: Apache-2.0
"""Detects workers of an IterableDataset that all read the same samples: a data set that does not split itself yields
each sample once per worker."""
from __future__ import annotations

from typing import Any

from .batch import is_indexed, parts_of

TURNS = 2
VALUES = 256  # of a tensor are compared


class RepeatedBatches:
    def __init__(self, loader: Any) -> None:
        in_turns = getattr(loader, "in_order", True) and hasattr(loader, "dataset") and not is_indexed(loader.dataset)
        self.workers = getattr(loader, "num_workers", 0) if in_turns else 0
        self._wanted = TURNS * self.workers if self.workers > 1 else 0
        self._batches: list[Any] = []

    def observe(self, batch: Any, begins_epoch: bool) -> None:
        """Call with the loader's batches in order, from the first on; only the first ones are looked at."""
        if begins_epoch and self._batches:
            self.close()
        if len(self._batches) < self._wanted:
            self._batches.append(_content_of(batch, 4))

    def close(self) -> None:
        """No later batch follows the ones that were observed."""
        self._wanted = min(self._wanted, len(self._batches))

    @property
    def repeat(self) -> bool:
        """True if all workers' first batches are the same and differ from one another within a worker."""
        turns = [self._batches[at:at + self.workers] for at in range(0, len(self._batches), max(1, self.workers))]
        return (len(self._batches) == TURNS * self.workers > 0 and turns[0][0] != turns[1][0]
                and all(batch == turn[0] for turn in turns for batch in turn))

    def finding(self) -> dict[str, Any] | None:
        if not self.repeat:
            return None
        return {"id": "loader.repeated_samples", "severity": "problem",
                "text": f"each of the {self.workers} workers reads all of the data set: every sample comes {self.workers} times "
                        "in an epoch",
                "value": self.workers, "threshold": 1, "unit": "times", "evidence": ["data_wait_ns"],
                "remedy": "Let __iter__ give each worker its part, by torch.utils.data.get_worker_info()."}


def _content_of(value: Any, depth: int) -> Any:
    shape = getattr(value, "shape", None)
    if shape is not None and hasattr(value, "reshape") and hasattr(value, "tolist"):
        flat = value.reshape(-1)
        return tuple(shape), str(flat[::max(1, len(flat) // VALUES)].tolist())
    if isinstance(value, (bool, int, float, str, bytes)):
        return value
    return [_content_of(part, depth - 1) for part in parts_of(value)] if depth else type(value)
