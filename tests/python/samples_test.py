# SPDX-License-Identifier: Apache-2.0
"""Checks the number of samples in batches of torch's own DataLoader, of any form: samples_test.py SOURCE_DIR"""
import collections
import dataclasses
import pathlib
import sys
import time
import unittest

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

SOURCE = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(SOURCE / "tools/python"))
from stepbench_worker.batch import SampleCounter  # noqa: E402
from stepbench_worker.dataloader_times import Handover  # noqa: E402
from stepbench_worker.repeated_batches import RepeatedBatches  # noqa: E402

SAMPLES = 27
Pair = collections.namedtuple("Pair", "image target")


@dataclasses.dataclass
class Graph:
    nodes: torch.Tensor
    labels: torch.Tensor


class Images(Dataset):
    def __len__(self):
        return SAMPLES

    def __getitem__(self, index):
        return torch.zeros(3, 9, 9), {"boxes": torch.zeros(1 + index % 7, 4), "index": index}


class Stream(IterableDataset):
    def __iter__(self):
        for index in range(SAMPLES):
            yield torch.zeros(4), index


class Infinite(DataLoader):
    """Keeps one iterator over a sampler that never ends, as timm's and ultralytics' loaders do."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.iterator = super().__iter__()

    def __iter__(self):
        for _ in range(len(self)):
            yield next(self.iterator)


class Ahead(DataLoader):
    """Holds a batch back, as accelerate's loader does."""

    def __iter__(self):
        held = None
        for batch in super().__iter__():
            if held is not None:
                yield held
            held = batch
        yield held


class Around:
    def __init__(self, loader):
        self.loader = loader

    def __iter__(self):
        yield from self.loader


def detection(samples):
    return tuple(zip(*samples))


def merged(samples):  # one row per box
    return {"images": torch.stack([image for image, _ in samples]), "boxes": torch.cat([each["boxes"] for _, each in samples])}


def time_first(samples):
    return torch.zeros(35, len(samples), 20)


def packed(samples):
    return torch.zeros(184), torch.zeros(len(samples) + 1)


def pair(samples):
    return Pair(torch.zeros(len(samples), 3), torch.zeros(len(samples)))


def graph(samples):
    return Graph(torch.zeros(90, 3), torch.zeros(len(samples)))


def records(samples):
    return [{"image": image, **target} for image, target in samples]


def opaque(samples):
    return "a batch"


COLLATED = (detection, list, records, merged, time_first, packed, pair, graph, opaque)


def counted(loader, epochs=1):
    counter = SampleCounter()
    return [counter(batch) for _ in range(epochs) for batch in counter.begin(loader)], counter.why


class Samples(unittest.TestCase):
    def test_map_style_loader_counts_the_sampled_indices(self):
        for collate in COLLATED:
            with self.subTest(collate):
                self.assertEqual(counted(DataLoader(Images(), 8, collate_fn=collate), 2), ([8, 8, 8, 3] * 2, ""))

    def test_counts_are_matched_to_their_batch(self):
        for options in ({}, {"in_order": False}, {"persistent_workers": True}, {"prefetch_factor": 4}):
            with self.subTest(options):
                loader = DataLoader(Images(), 8, collate_fn=records, num_workers=2, **options)
                counter = SampleCounter()
                for _ in range(2):
                    for batch in counter.begin(loader):
                        self.assertEqual(counter(batch), len(batch))
        ragged = DataLoader(Images(), batch_sampler=[[1], [2, 3, 4], [5, 6]], collate_fn=records, num_workers=2, in_order=False)
        counter = SampleCounter()
        self.assertEqual(sorted(counter(batch) - len(batch) for batch in counter.begin(ragged)), [0, 0, 0])
        self.assertEqual(counted(DataLoader(Images(), 8, drop_last=True, collate_fn=list))[0], [8, 8, 8])

    def test_loader_is_restored(self):
        loader = DataLoader(Images(), 8, collate_fn=list)
        sampler = loader.batch_sampler
        counted(loader)
        self.assertIs(loader.batch_sampler, sampler)
        self.assertEqual(len(list(loader)), 4)

    def test_used_loader_is_counted(self):
        loader = DataLoader(Images(), 8, collate_fn=time_first, num_workers=1, persistent_workers=True)
        list(loader)
        self.assertEqual(counted(loader)[0], [8, 8, 8, 3])

    def test_iterable_data_set_counts_if_the_batch_agrees(self):
        self.assertEqual(counted(DataLoader(Stream(), 8)), ([8, 8, 8, 3], ""))
        self.assertEqual(sorted(counted(DataLoader(Stream(), 8, num_workers=2))[0]), [3, 3, 8, 8, 8, 8, 8, 8])
        self.assertEqual(counted(DataLoader(Stream(), 8, collate_fn=pair))[0], [8, 8, 8, 3])
        found, why = counted(DataLoader(Stream(), 8, collate_fn=time_first))
        self.assertEqual(found, [0] * 4)
        self.assertIn("batch_size is 8, and the parts of a batch have 35 entries", why)

    def test_no_batch_sampler_uses_the_batch(self):
        class Batches(IterableDataset):
            def __iter__(self):
                yield torch.zeros(5, 2), torch.zeros(5)
        self.assertEqual(counted(DataLoader(Batches(), batch_size=None)), ([5], ""))

    def test_own_iteration_counts_if_the_batch_agrees(self):
        for make in (Infinite, Ahead, lambda *data, **options: Around(DataLoader(*data, **options)),
                     lambda *data, **options: iter(DataLoader(*data, **options))):
            self.assertEqual(counted(make(Images(), 8, collate_fn=pair)), ([8, 8, 8, 3], ""))
            self.assertEqual(counted(make(Images(), batch_sampler=[[1, 2]], collate_fn=pair)), ([2], ""))
            found, why = counted(make(Images(), 8, collate_fn=time_first))
            self.assertEqual(found, [0] * 4)
            self.assertIn("batch_size is 8, and the parts of a batch have 35 entries", why)

    def test_index_lists_without_length_use_the_batch(self):
        lists = [(index for index in (1, 2, 3)), (index for index in (4, 5))]
        self.assertEqual(counted(DataLoader(Images(), batch_sampler=lists, collate_fn=pair)), ([3, 2], ""))

    def test_opaque_batches_are_counted_by_lookup(self):
        counter = SampleCounter()
        for batch in counter.begin(DataLoader(Images(), 8, collate_fn=opaque)):
            self.assertIn(counter(batch), (8, 3))
            self.assertEqual(counter(batch), 0, "each is counted once")


class Shared(Stream):
    """Gives each worker its part."""

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        for index in range(info.id, SAMPLES, info.num_workers):
            yield torch.full((4,), float(index)), index


class Whole(IterableDataset):
    def __iter__(self):
        for index in range(SAMPLES):
            yield torch.full((4,), float(index)), {"name": str(index)}


class Repeated(unittest.TestCase):
    def of(self, loader, batches=6):
        repeated = RepeatedBatches(loader)
        for index, batch in zip(range(batches), loader):
            repeated.observe(batch, index == 0)
        repeated.close()
        return repeated

    def test_repeated_samples_of_workers_are_found(self):
        found = self.of(DataLoader(Whole(), 2, num_workers=2)).finding()
        self.assertEqual((found["id"], found["value"]), ("loader.repeated_samples", 2))
        self.assertIn("every sample comes 2 times in an epoch", found["text"])

    def test_parts_or_few_batches_are_not_repeated(self):
        for loader in (DataLoader(Shared(), 2, num_workers=2), DataLoader(Whole(), 2, num_workers=1), DataLoader(Whole(), 2),
                       DataLoader(Images(), 2, num_workers=2, collate_fn=list), DataLoader(IterableZeros(), 2, num_workers=2),
                       [torch.zeros(3)] * 9):
            self.assertIsNone(self.of(loader).finding())
        self.assertIsNone(self.of(DataLoader(Whole(), 2, num_workers=2), batches=3).finding())


class IterableZeros(IterableDataset):
    def __iter__(self):
        yield from torch.zeros(SAMPLES, 4)


def note(worker):
    torch.set_num_threads(1)


class HandoverTimes(unittest.TestCase):
    def test_workers_record_the_times_of_a_batch(self):
        for data in (Images(), Stream()):
            with self.subTest(data=type(data).__name__):
                loader = DataLoader(data, 2, num_workers=1, collate_fn=opaque, worker_init_fn=note)
                handover = Handover()
                iterator = handover.begin_epoch(loader, iter)
                self.assertIs(loader.worker_init_fn, note)
                handover.begin(iterator)
                first_ns = began = time.monotonic_ns()
                steps = []
                for _ in iterator:
                    now = time.monotonic_ns()
                    steps.append((now - began, now - began, False))
                    began = now
                handover.end(first_ns, steps)
                self.assertEqual((handover.all.delivered, handover.all.known), (14, 14))
                self.assertGreater(handover.all.busy_ns, 0)

    def test_no_workers_or_no_order_record_nothing(self):
        for more in ({}, {"num_workers": 1, "in_order": False}):
            loader = DataLoader(Images(), 8, collate_fn=opaque, **more)
            handover = Handover()
            self.assertEqual(len(list(handover.begin_epoch(loader, iter))), 4)
            self.assertIsNone(handover._records)


if __name__ == "__main__":
    unittest.main(verbosity=2)
