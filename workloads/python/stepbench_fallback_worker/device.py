# SPDX-License-Identifier: Apache-2.0
"""The device of a case."""
import torch


class Skip(Exception):
    """The case cannot be measured here, although it is valid."""


def device_of(case):
    """Returns the torch.device of the case and makes it current."""
    name = case.get("device")
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if not name.startswith("cuda"):
        return torch.device("cpu")
    if not torch.cuda.is_available():
        raise Skip("needs a CUDA device")
    device = torch.device(name if ":" in name else name + ":0")
    if device.index >= torch.cuda.device_count():
        raise Skip(f"there is no device {device}: torch sees {torch.cuda.device_count()}")
    torch.cuda.set_device(device)
    torch.cuda.init()
    return device
