# SPDX-License-Identifier: Apache-2.0
"""Observes torch.compile, and explains its failures."""
import sys


def graphs():
    """Returns the number of graphs compiled in this process."""
    dynamo = sys.modules.get("torch._dynamo.utils")
    return 0 if dynamo is None else dynamo.counters["stats"]["unique_graphs"]


def hint(error):
    """Returns a sentence if torch.compile lacks a build dependency, else empty."""
    text, seen = "", 0
    while error is not None and seen < 8:
        text += f"{type(error).__name__}: {error}\n"
        error, seen = error.__cause__ or error.__context__, seen + 1
    if "Python.h" in text:
        return (
            f"torch.compile needs Python.h of {sys.executable}: install it (Debian: apt-get install python3-dev), or "
            "use an interpreter that brings it (uv, conda, pyenv)"
        )
    if "InvalidCxxCompiler" in text or "Failed to find C compiler" in text:
        return "torch.compile needs a C++ compiler: install one (Debian: apt-get install g++), or name it in CXX"
    return ""
