# SPDX-License-Identifier: Apache-2.0
"""The user's nn.Module: checks, moves, and hooks it while a profile is recorded."""
import os

import torch

from stepbench_user_code.user_file import UserError


def checked(made, path):
    """Returns the result of model(), which must be a Module."""
    if isinstance(made, torch.nn.Module):
        return made
    what = f"the class {made.__name__}" if isinstance(made, type) else type(made).__name__
    raise UserError(
        "model.path", f"model() in {os.path.basename(path)} returned {what}; expected a torch.nn.Module that is made"
    )


def plain(module):
    """Returns the module without torch.compile."""
    return getattr(module, "_orig_mod", module)


def logits_of(output, path):
    """Returns the logits if forward() does not return a tensor."""
    logits = output.get("logits") if isinstance(output, dict) else getattr(output, "logits", None)
    if isinstance(logits, torch.Tensor):
        return logits
    what = f"a {type(output).__name__}"
    if isinstance(output, (tuple, list)):
        what += f" of {len(output)}"
    raise UserError(
        "model.path",
        f"forward() in {os.path.basename(path)} returned {what}; expected one tensor of logits, or an object that has "
        "one as .logits",
    )


def move(module, device, channels_last):
    module.to(device)
    if channels_last:
        module.to(memory_format=torch.channels_last)


def hook(root, enter, leave):
    """Calls `enter` and `leave` around each module's forward from now on. Returns pairs of module and name."""
    modules = [("", root)] if plain(root) is not root else list(root.named_modules())
    for _, module in modules:
        module.register_forward_pre_hook(enter)
        module.register_forward_hook(leave, always_call=True)
    return [(module, name or "(model)") for name, module in modules]
