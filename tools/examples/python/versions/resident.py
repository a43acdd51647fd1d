# SPDX-License-Identifier: Apache-2.0
"""Prints the memory that torch holds before it has a model, without stepbench:
resident.py [package of which no module may be imported]"""
import sys

if len(sys.argv) > 1:
    sys.modules[sys.argv[1]] = None
import torch


def show(what):
    kib = {"all": 0}
    with open("/proc/self/smaps", encoding="utf-8") as maps:
        for line in maps:
            words = line.split()
            if not words[0].endswith(":"):
                library = words[5].rsplit("/", 1)[-1] if len(words) > 5 else ""
            elif words[0] == "Rss:":
                kib["all"] += int(words[1])
                kib[library] = kib.get(library, 0) + int(words[1])
    print(torch.__version__, what, f"{kib['all'] / 1024:.0f} MiB, {len(sys.modules)} modules,",
          f"libtriton.so {kib.get('libtriton.so', 0) / 1024:.0f} MiB")


show("import torch:")
torch.optim.AdamW([torch.nn.Parameter(torch.zeros(1))])
show("an optimizer:")
