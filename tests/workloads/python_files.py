# SPDX-License-Identifier: Apache-2.0
"""Python files as users would write them, valid and invalid, each with model() or step(): python_files.py FOLDER."""
import pathlib
import shutil
import sys

FILES = {
    "resnet": """
        import torch
        from torch import nn
        from torchvision.models import resnet18
        def model(classes):
            net = resnet18(num_classes=classes)
            # The numbers in the order in which model.kind resnet18 draws them.
            torch.manual_seed(torch.initial_seed())
            for module in net.modules():
                if isinstance(module, (nn.Conv2d, nn.Linear)):
                    module.reset_parameters()
                if isinstance(module, nn.Conv2d):
                    nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
            return net
        """,
    "dense": """
        import parts
        from torch import nn
        def model(classes, width=16):
            return nn.Sequential(nn.Flatten(), nn.Linear(3072, width), parts.Relu(), nn.Linear(width, classes))
        """,
    "parts": """
        import torch
        class Square(torch.autograd.Function):  # its backward is Python
            @staticmethod
            def forward(context, x):
                context.save_for_backward(x)
                return x * x
            @staticmethod
            def backward(context, gradient):
                return 2 * context.saved_tensors[0] * gradient
        class Relu(torch.nn.Module):
            def forward(self, x):
                return Square.apply(x)
        """,
    "threads": """
        import torch
        from torch import nn
        def model():
            torch.set_num_threads(3)
            return nn.Sequential(nn.Flatten(), nn.Linear(3072, 10))
        """,
    "vectors": """
        from torch import nn
        def model():
            return nn.Sequential(nn.Flatten(), nn.Linear(64, 10))
        """,
    "falls": """
        from torch import nn
        class Net(nn.Sequential):
            calls = 0
            def forward(self, x):
                self.calls += 1
                if self.calls == 4:
                    raise RuntimeError("the fourth call")
                return super().forward(x)
        def model():
            return Net(nn.Flatten(), nn.Linear(3072, 10))
        """,
    "loop": """
        import torch
        from torch import nn
        from torch.utils.data import DataLoader, TensorDataset
        class Loop:
            def __init__(self, device):
                self.device = device
                data = TensorDataset(torch.rand(40, 3, 32, 32), torch.randint(10, (40,)))
                self.loader = DataLoader(data, batch_size=16)
                self.model = nn.Sequential(nn.Flatten(), nn.Linear(3072, 10)).to(device)
                self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
            def step(self, record):
                x, y = record.next(self.loader)
                with record.phase("zero_grad"):
                    self.optimizer.zero_grad()
                with record.phase("forward"):
                    logits = self.model(x)
                with record.phase("loss"):
                    loss = nn.functional.cross_entropy(logits, y)
                with record.phase("backward"):
                    loss.backward()
                with record.phase("optimizer"):
                    self.optimizer.step()
            def fingerprint(self):
                return {"loss": 2.5, "gradient_norm": torch.tensor(1.5)}
        def make(device):
            return Loop(device)
        """,
    # Its steps as counted by torch's own profiler, written to a file before they are measured.
    "counted": """
        import torch
        from torch import nn
        class Counted:
            def __init__(self, seen):
                self.model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 5))
                self.optimizer = torch.optim.Adam(self.model.parameters())
                self.x = torch.rand(2, 3, 8, 8)
                for _ in range(3):
                    self.work()
                with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
                    for _ in range(3):
                        self.work()
                with open(seen, "w") as out:
                    out.writelines(f"{row.count} {row.key}\\n" for row in profiler.key_averages())
            def work(self):
                self.optimizer.zero_grad()
                self.model(self.x).square().mean().backward()
                self.optimizer.step()
            def step(self, record):
                self.work()
        def make(seen):
            return Counted(seen)
        """,
    "nested": """
        def step(record):
            with record.phase("forward"), record.phase("loss"):
                pass
        """,
    "leaves": """
        import sys
        calls = 0
        def step(record):
            global calls
            calls += 1
            if calls == 3:
                sys.exit("enough")
            return 1
        """,
    "quick": """
        import torch
        def step(record):
            torch.set_num_threads(2)
            with record.phase("forward"):
                return torch.ones(3).numel()
        """,
    "recompiles": """
        import torch
        calls = 0
        @torch.compile(backend="eager", dynamic=False)
        def work(x):
            return x * 2
        def step(record):
            global calls
            calls += 1
            with record.phase("forward"):
                work(torch.zeros(calls))
            return 1
        """,
}


def plain(text):
    lines = text.strip("\n").splitlines()
    return "\n".join(line[8:] for line in lines) + "\n"


def main():
    folder = pathlib.Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / f"{name}_file.py" if name != "parts" else folder / "parts.py").write_text(plain(text))


if __name__ == "__main__":
    main()
