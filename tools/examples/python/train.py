# SPDX-License-Identifier: Apache-2.0
"""The loop of PyTorch's tutorial on training a classifier, with the lines that measure it: stepbench run --python train.py

Take out the lines with measure, phase and report, and it is the tutorial's again."""
import argparse

import torch
from stepbench_worker import measure, phase, report
from torch import nn


def images(folder):
    """Pictures in one folder per class, as torchvision's ImageFolder reads them with PIL; noise without a folder."""
    if not folder:
        noise = torch.Generator().manual_seed(0)
        return torch.utils.data.TensorDataset(torch.randn(512, 3, 32, 32, generator=noise),
                                              torch.randint(10, (512,), generator=noise))
    from torchvision import datasets, transforms

    change = transforms.Compose([transforms.RandomResizedCrop(32), transforms.RandomHorizontalFlip(),
                                 transforms.ToTensor(), transforms.Normalize((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))])
    return datasets.ImageFolder(folder, transform=change)


def network(width):
    return nn.Sequential(nn.Conv2d(3, width, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(width, 16, 5), nn.ReLU(),
                         nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 10))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="", help="a folder with a folder of pictures per class")
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--width", type=int, default=6)
    parser.add_argument("--epochs", type=int, default=2)
    options = parser.parse_args()

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = torch.utils.data.DataLoader(images(options.data), batch_size=options.batch_size, shuffle=True,
                                         num_workers=options.workers, pin_memory=device.type == "cuda",
                                         persistent_workers=options.workers > 0)
    net = network(options.width).to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.001, momentum=0.9)

    for _ in range(options.epochs):
        for inputs, labels in measure(loader):
            with phase("h2d"):
                inputs, labels = inputs.to(device, non_blocking=True), labels.to(device, non_blocking=True)
            with phase("zero_grad"):
                optimizer.zero_grad()
            with phase("forward"):
                outputs = net(inputs)
            with phase("loss"):
                loss = criterion(outputs, labels)
            with phase("backward"):
                loss.backward()
            with phase("optimizer"):
                optimizer.step()
            report(loss=loss)


if __name__ == "__main__":  # spawned workers import this file
    main()
