# SPDX-License-Identifier: Apache-2.0
"""Runs torchvision's resnet18 as model.kind: python for one training step, and writes its inputs and results:
python_gradients.py WORKER FOLDER. NAME.bin hold float32: input, output (its gradient), weight.NAME of each parameter
and buffer and gradient.NAME of each parameter."""
import sys

import python_worker

MODEL = """
    import os
    import torch
    from torchvision.models import resnet18
    FOLDER = os.path.dirname(os.path.abspath(__file__))
    def write(name, tensor):
        path = os.path.join(FOLDER, name + ".bin")
        if not os.path.exists(path):  # later backward passes are of other batches
            tensor.detach().float().contiguous().numpy().tofile(path)
    class Watched(torch.nn.Module):
        def __init__(self, net):
            super().__init__()
            self.net, self.done = net, False
        def forward(self, x):
            if not self.training or not torch.is_grad_enabled() or self.done:
                return self.net(x)
            self.done = True
            write("input", x)
            for name, tensor in self.net.state_dict().items():
                write("weight." + name, tensor)
            for name, parameter in self.net.named_parameters():
                parameter.register_hook(lambda gradient, name=name: write("gradient." + name, gradient))
            output = self.net(x)
            output.register_hook(lambda gradient: write("output", gradient))
            return output
    def model(classes):
        return Watched(resnet18(num_classes=classes))
"""


def main():
    folder = sys.argv[1]
    options = {
        "data.kind": "synthetic",
        "data.samples": 16,
        "data.classes": 10,
        "data.image_size": 32,
        "loader.engine": "inline",
        "model.kind": "python",
        "model.path": python_worker.write(folder, MODEL, "watched.py"),
        "schedule.active": 1,
        "threads.intra_op": 1,
    }
    last, output = python_worker.run(folder, options, "train_step")
    if last.get("kind") != "launch":
        sys.exit(f"{last}\n{output}")


if __name__ == "__main__":
    main()
