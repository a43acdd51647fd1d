# SPDX-License-Identifier: Apache-2.0
"""One of the steps beside this file, by its name and what its main() takes: step.py gpt train"""
import importlib
import sys

if __name__ == "__main__":  # workers that are spawned import this file
    importlib.import_module(sys.argv[1]).main(*sys.argv[2:])
