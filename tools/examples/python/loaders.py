# SPDX-License-Identifier: Apache-2.0
"""One folder of JPEG files through the loaders of several libraries, for `loader: {engine: iterable}`, used by
configs/loader_libraries.yaml. All read a file with the same function, which returns the same tensor."""
import os
import random

import torch
from PIL import Image
from torchvision import transforms

def files_of(root):
    """Returns (path, label) of each file, like ImageFolder."""
    classes = sorted(entry.name for entry in os.scandir(root) if entry.is_dir())
    return [
        (os.path.join(root, name, file), label)
        for label, name in enumerate(classes)
        for file in sorted(os.listdir(os.path.join(root, name)))
    ]


class Read:
    """(path, label) -> (picture, label). A class, so that it can be passed to worker processes of any kind."""

    def __init__(self, image_size):
        self.transform = transforms.Compose(
            [transforms.RandomResizedCrop(image_size), transforms.RandomHorizontalFlip(), transforms.PILToTensor()]
        )

    def __call__(self, item):
        path, label = item
        with Image.open(path) as file:
            return self.transform(file.convert("RGB")).float().div_(255), label


def collate(samples):
    pictures, labels = zip(*samples)
    return torch.stack(pictures), torch.tensor(labels)


def shuffled_for_ever(items, seed):
    order = random.Random(seed)
    while True:
        yield from order.sample(items, len(items))


class Folder(torch.utils.data.Dataset):
    def __init__(self, items, read):
        self.items = items
        self.read = read

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.read(self.items[index])


class EndlessOrder(torch.utils.data.Sampler):
    def __init__(self, size, seed):
        self.size = size
        self.seed = seed

    def __iter__(self):
        return shuffled_for_ever(range(self.size), self.seed)


def torch_loader(items, read, batch_size, workers, seed):
    return torch.utils.data.DataLoader(
        Folder(items, read), batch_size, sampler=EndlessOrder(len(items), seed), num_workers=workers, collate_fn=collate
    )


def spdl(items, read, batch_size, workers, seed):
    """Reads and collates in the threads of one pool."""
    from spdl.pipeline import PipelineBuilder

    builder = PipelineBuilder().add_source(shuffled_for_ever(items, seed))
    builder = builder.pipe(read, concurrency=max(workers, 1), output_order="input").aggregate(batch_size).pipe(collate)
    pipeline = builder.add_sink(2 * max(workers, 1)).build(num_threads=max(workers, 1))
    with pipeline.auto_stop():
        yield from pipeline


def webdataset(items, read, batch_size, workers, seed):
    """Uses its pipeline and its WebLoader; each file takes the place of a shard."""
    import webdataset

    def endless(source):
        for shard in source:
            yield shard["url"]

    shards = webdataset.ResampledShards([f"{path}\t{label}" for path, label in items], seed=seed, deterministic=True)
    pipeline = webdataset.DataPipeline(
        shards,
        endless,
        webdataset.map(lambda url: read((url.split("\t")[0], int(url.split("\t")[1])))),
        webdataset.batched(batch_size, collation_fn=collate, partial=False),
    )
    return webdataset.WebLoader(pipeline, batch_size=None, num_workers=workers)


def grain(items, read, batch_size, workers, seed):
    """Reads ahead with threads in this process; worker processes need another call (mp_prefetch)."""
    import grain

    options = grain.ReadOptions(num_threads=workers, prefetch_buffer_size=2 * batch_size * max(workers, 1) if workers else 0)
    source = grain.MapDataset.source(items).seed(seed).shuffle().repeat().map(read)
    return source.to_iter_dataset(options).batch(batch_size, batch_fn=collate)


LIBRARIES = {"torch": torch_loader, "spdl": spdl, "webdataset": webdataset, "grain": grain}


def loader(root, library, batch_size, num_workers, seed, image_size=224):
    """root, library and image_size come from `python` in the YAML file, the others from `loader`."""
    torch.set_num_threads(1)
    make = LIBRARIES[library]
    return make(files_of(root), Read(image_size), batch_size, num_workers, seed)
