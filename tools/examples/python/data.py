# SPDX-License-Identifier: Apache-2.0
"""An image folder as most training scripts read it, for `data: {kind: python, path: data.py}`, used by
configs/python_against_ours.yaml. Pillow decodes, torchvision transforms."""
from torchvision import datasets, transforms


def dataset(root, image_size=224, augment=True):
    """The arguments come from `python` in the YAML file. The data set's `classes` determine the size of a model's
    output."""
    if augment:
        steps = [transforms.RandomResizedCrop(image_size), transforms.RandomHorizontalFlip()]
    else:
        steps = [transforms.Resize(image_size * 256 // 224), transforms.CenterCrop(image_size)]
    return datasets.ImageFolder(root, transforms.Compose([*steps, transforms.ToTensor()]))


# The file may also define, as for torch.utils.data.DataLoader:
#
#   def collate(samples): ...            makes a batch of a list of samples
#   def sampler(dataset): ...            returns a Sampler, or any iterable of indices
#   def batch_sampler(dataset): ...      returns an iterable of lists of indices; replaces batch_size and sampler
#   def worker_init(worker): ...         called first in each worker process
