# SPDX-License-Identifier: Apache-2.0
"""Compiles a model ahead of time for `model: {kind: aoti, path: model.pt2}`, with AOTInductor.

  export.py net.py model.pt2 --shape 3,224,224                      batches of any size
  export.py net.py model.pt2 --shape 3,224,224 --batch 64 --fixed   of 64 only, which may run faster
  export.py net.py model.pt2 --shape 1024 --tokens 50257 --device cuda

net.py has a function model(**python) that returns a torch.nn.Module; --set width=64 gives it an argument.
The package runs on the kind of device and CPU that it was compiled on."""
import argparse
import ast
import importlib.util
import sys

import torch


def value(text):
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", help="the file with the function model()")
    parser.add_argument("package", help="the file to write, model.pt2")
    parser.add_argument("--shape", required=True, help="of one sample: 3,224,224")
    parser.add_argument("--tokens", type=int, help="samples are token ids below this, not floats")
    parser.add_argument("--batch", type=int, default=8, help="samples of the batch it is traced with (default: 8)")
    parser.add_argument("--fixed", action="store_true", help="take batches of this size only")
    parser.add_argument("--device", default="cpu", help="cpu (default) or cuda")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="an argument of model()")
    return parser.parse_args()


def main():
    options = arguments()
    spec = importlib.util.spec_from_file_location("net", options.net)
    net = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(net)
    given = {name: value(text) for name, _, text in (each.partition("=") for each in options.set)}
    model = net.model(**given).eval().to(options.device)
    shape = [options.batch, *(int(size) for size in options.shape.split(","))]
    if options.tokens:
        batch = torch.randint(options.tokens, shape, device=options.device)
    else:
        batch = torch.rand(shape, device=options.device)
    dynamic = None if options.fixed else ({0: torch.export.Dim.DYNAMIC},)
    with torch.no_grad():
        program = torch.export.export(model, (batch,), dynamic_shapes=dynamic)
    try:
        torch._inductor.aoti_compile_and_package(program, package_path=options.package)
    except Exception as error:
        if "compiler" not in str(error).lower():
            raise
        sys.exit(f"export.py: no C++ compiler: install one (apt-get install g++), or name it in CXX. torch says:\n{error}")


if __name__ == "__main__":
    main()
