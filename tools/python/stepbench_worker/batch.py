# SPDX-License-Identifier: Apache-2.0
"""Counts the samples of a script's batches: the size that the DataLoader's batch sampler dealt, else the length that
all tensors agree on. If they do not agree it is unknown, and `why` has the reason."""
from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable, Iterator, Mapping, Sized
from typing import Any

PLAIN = (int, float, complex, str, bytes, bool, type(None))  # without a shape
IMAGE_CHANNELS = (1, 3, 4)
LOOKS = 16
SAY = "measure(..., samples=) says how many there are"


class SampleCounter:
    """Counts the batches of one loop, each once and before the next one is requested."""

    def __init__(self, size: int = 0) -> None:
        self.why = ""  # reason why counting stopped; "": it has not
        self._iterator: Any = None
        self._dealt: Dealt | None = None
        self._size = size  # of full batches, if only the batch itself shows whether it is full; 0: unknown
        self._agreed = False
        self._kind: Any = None
        self._place: Any = None
        self._quick = 0

    def begin(self, loader: Iterable[Any]) -> Iterator[Any]:
        """Like iter(loader)."""
        sampler = getattr(loader, "batch_sampler", None)
        places = getattr(loader, "__dict__", {})
        map_style = sampler is not None and is_indexed(getattr(loader, "dataset", None))
        self._size = _full_size(loader)
        self._dealt = None
        if not map_style or "batch_sampler" not in places:
            iterator = self._iterator = iter(loader)
            return iterator
        kept = getattr(loader, "_iterator", None)  # with persistent workers
        dealt = getattr(kept, "_index_sampler", None)
        if not isinstance(dealt, Dealt):
            dealt = Dealt(sampler)
            if kept is not None:
                kept._index_sampler = dealt
        places["batch_sampler"] = dealt
        try:
            iterator = iter(loader)
        finally:
            places["batch_sampler"] = sampler
        self._iterator = iterator
        if getattr(iterator, "_index_sampler", None) is dealt and hasattr(iterator, "_num_yielded"):
            self._dealt = dealt
        return iterator

    def __call__(self, batch: Any) -> int:
        if self.why:
            return 0
        if self._dealt is not None:
            dealt = self._dealt.delivered(self._iterator)
            if dealt is not None:
                return dealt
            self._dealt = None
        if type(batch) is self._kind:
            self._quick += 1
            if self._quick % LOOKS:  # check all parts only now and then
                try:
                    samples: int = batch[self._place].shape[0]
                    if self._size in (0, samples):
                        return samples
                except (AttributeError, IndexError, KeyError, TypeError):
                    self._kind = None
        found = lengths_of(batch)
        if len(found) == 1:
            self._learn(batch, min(found))
        if not self._size:
            if len(found) > 1:
                self._stop(f"the parts of a batch have {_listed(found)} entries")
            elif not found:
                self._stop("nothing in a batch has a length")
            return found.pop() if len(found) == 1 else 0
        if self._size in found or (self._agreed and len(found) == 1 and max(found) < self._size):  # last of epoch
            self._agreed = True
            return self._size if self._size in found else found.pop()
        self._stop(f"batch_size is {self._size}, and the parts of a batch have {_listed(found)} entries" if found else
                   f"batch_size is {self._size}, and nothing in a batch has a length")
        return 0

    def _learn(self, batch: Any, samples: int) -> None:
        """Remembers the part that gives the count, as a fast path for the next batch of this type."""
        places: Any = batch if type(batch) is dict else range(len(batch)) if type(batch) in (list, tuple) else ()
        for place in places:
            shape: Any = getattr(batch[place], "shape", None)
            if shape is not None and len(shape) > 0 and shape[0] == samples:
                self._kind, self._place = type(batch), place
                return

    def _stop(self, why: str) -> None:
        self.why = f"no samples per second: {why}; {SAY}"


def size_of(loader: Any, index: int) -> int:
    """Size of batch `index` of an epoch, if torch's own sampler deals it from a map-style data set; 0: unknown."""
    sampler: Any = getattr(loader, "batch_sampler", None)
    if type(sampler).__name__ != "BatchSampler" or not is_indexed(getattr(loader, "dataset", None)):
        return 0
    full = int(sampler.batch_size)
    left = min(full, len(sampler.sampler) - index * full)
    return left if left == full or (left > 0 and not sampler.drop_last) else 0


class Dealt:
    """Replaces a loader's batch sampler: passes its index lists on and keeps their sizes until they are delivered."""

    def __init__(self, sampler: Any) -> None:
        self._sampler = sampler
        self._sizes: dict[int, int | None] = {}  # by task; None: a list without a length

    def __iter__(self) -> Iterator[Any]:
        sizes = self._sizes = {}
        for task, indices in enumerate(self._sampler):
            sizes[task] = len(indices) if isinstance(indices, Sized) else None
            yield indices

    def __len__(self) -> int:
        return len(self._sampler)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_sampler"], name)

    def delivered(self, iterator: Any) -> int | None:
        """Returns the size of the batch that the iterator delivered last; None: it is unknown."""
        sizes = self._sizes
        if getattr(iterator, "_in_order", True):
            return sizes.pop(iterator._num_yielded - 1, 0)
        waiting = iterator._task_info
        for task in sizes:
            if task not in waiting:
                return sizes.pop(task)
        return 0


def lengths_of(batch: Any) -> set[int]:
    """Returns the first dimensions of its tensors and arrays, or, without any, the lengths of its lists; a list of
    samples counts with its own length. More than one value: the number of samples is unknown."""
    return _lengths(batch, 5, top=True) or _lengths_of_lists(batch)


def _lengths(value: Any, depth: int, top: bool = False) -> set[int]:
    own = _own_length(value)
    if own is not None:
        return own
    if depth == 0 or isinstance(value, PLAIN):
        return set()
    parts = parts_of(value)
    within = [part for part in parts if not isinstance(part, PLAIN)]
    found: set[int] = set().union(*(_lengths(part, depth - 1) for part in within)) if within else set()
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields") and len(within) == len(parts) \
            and _are_samples(within, top):
        return {len(value)} if len(found) != 1 or not top else found | {len(value)}
    return found


def _own_length(value: Any) -> set[int] | None:
    """Returns the lengths of a tensor, or of an object that knows its number of samples; None: look at its parts."""
    if isinstance(value, type):
        return set()
    graphs = getattr(value, "num_graphs", None)  # of torch_geometric
    if isinstance(graphs, int):
        return {graphs}
    packed = getattr(value, "batch_sizes", None)  # PackedSequence
    if packed is not None and hasattr(value, "data") and hasattr(packed, "shape"):
        return {int(packed[0])}
    if getattr(value, "is_nested", False) is True:
        return {int(value.size(0))}
    shape = getattr(value, "shape", None)
    if shape is None or callable(shape):
        return None
    return {int(shape[0])} if len(shape) > 0 else set()


def parts_of(value: Any) -> list[Any]:
    if isinstance(value, Mapping):  # including batches of Hugging Face's tokenizers
        return list(value.values())
    if isinstance(value, (list, tuple)):
        return list(value)
    if dataclasses.is_dataclass(value):
        return [getattr(value, each.name) for each in dataclasses.fields(value)]
    return list(getattr(value, "__dict__", {}).values())


def _are_samples(parts: list[Any], top: bool) -> bool:
    """True if the parts are samples (records, images, or tensors of different lengths), not fields of a batch."""
    if len(parts) < (3 if top else 1):
        return False
    shapes: list[Any] = [getattr(part, "shape", None) for part in parts]
    if all(shape is None for shape in shapes):
        return all(not isinstance(part, (list, tuple)) for part in parts)
    if any(shape is None for shape in shapes):
        return False
    if all(len(shape) == 3 and shape[0] in IMAGE_CHANNELS for shape in shapes):
        return True
    return not top and len({tuple(shape[:1]) for shape in shapes}) > 1


def _lengths_of_lists(batch: Any) -> set[int]:
    """Returns the lengths for a batch without tensors."""
    parts = parts_of(batch)
    lists = {len(part) for part in parts if isinstance(part, (list, tuple))}
    if lists and not isinstance(batch, PLAIN):
        return lists
    return {len(batch)} if isinstance(batch, (list, tuple)) and batch else set()


def _full_size(loader: Any) -> int:
    """Returns the size of a full batch as a DataLoader, its iterator or the loader that an object wraps states it; 0:
    unknown."""
    torch_loader = getattr(sys.modules.get("torch.utils.data"), "DataLoader", ())
    inner = [each for each in getattr(loader, "__dict__", {}).values() if isinstance(each, torch_loader)]
    for each in (loader, *inner):
        sampler = getattr(each, "_index_sampler", None)
        sizes = [getattr(place, "batch_size", None) for place in (each, sampler)]
        known = [size for size in sizes if isinstance(size, int)]
        if sampler is not None and known:
            return int(known[0])
    return 0


def is_indexed(dataset: Any) -> bool:
    """True for a map-style data set. An IterableDataset's sampler deals full batches, even beyond its end."""
    iterable = getattr(sys.modules.get("torch.utils.data"), "IterableDataset", ())
    return dataset is not None and not isinstance(dataset, iterable)


def _listed(found: Iterable[int]) -> str:
    numbers = [str(each) for each in sorted(found)]
    shown = numbers if len(numbers) <= 4 else [*numbers[:3], "more"]
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
