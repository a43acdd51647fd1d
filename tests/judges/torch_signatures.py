# SPDX-License-Identifier: Apache-2.0
"""Every argument of the torch that runs this, with its default, is taken by `stepbench plan`, alone and by --set:
torch_signatures.py STEPBENCH"""
import inspect
import json
import subprocess
import sys

try:
    import torch
    from torch.nn.parallel import DistributedDataParallel
except ImportError:
    sys.exit(77)

# The settings that each argument needs beside it, and the arguments that no file can name.
SECTIONS = (("loader", torch.utils.data.DataLoader, {}, {"dataset"}),
            ("optimizer", torch.optim.SGD, {"kind": "sgd"}, {"params"}),
            ("optimizer", torch.optim.Adam, {"kind": "adam"}, {"params"}),
            ("optimizer", torch.optim.AdamW, {"kind": "adamw"}, {"params"}),
            ("profile", torch.profiler.profile, {}, set()),
            ("schedule", torch.profiler.schedule, {}, set()),
            ("autocast", torch.autocast, {"device_type": "cpu"}, set()),
            ("grad_scaler", torch.amp.GradScaler, {}, set()),
            ("distributed", DistributedDataParallel, {"ranks": 2}, {"module"}))
REQUIRED = {"device_type": "cpu", "wait": 1, "warmup": 1, "active": 3}


def plan(sections, *words):
    base = {"workload": "train_step", "data": {"kind": "synthetic", "image_size": 32, "classes": 10}, "model": {"kind": "mlp"}}
    done = subprocess.run([sys.argv[1], "plan", "-", "--format", "json", *words], input=json.dumps(base | sections), text=True,
                          capture_output=True)
    return done.stderr if done.returncode else ""


failed = checked = 0
for section, of, beside, unnamed in SECTIONS:
    for name, parameter in inspect.signature(of).parameters.items():
        if name in unnamed or name.startswith("_"):
            continue
        value = REQUIRED[name] if parameter.default is parameter.empty else parameter.default
        given = list(value) if isinstance(value, tuple) else value
        others = {key: each for key, each in beside.items() if key != name}
        said = given if isinstance(given, str) else json.dumps(given)
        for error in (plan({section: others | {name: given}}),
                      plan({section: others} if others else {}, "--set", f"{section}.{name}={said}")):
            checked += 1
            if error:
                failed += 1
                print(f"{of.__module__}.{of.__name__}({name}={value!r}): {error}")
print(f"torch {torch.__version__}: {checked} checked, {failed} failed")
sys.exit(failed > 0)
