# SPDX-License-Identifier: Apache-2.0
"""Writes models compiled by AOTInductor, and invalid files, for batches of 8 x {3, 32, 32} images in ten classes:
compiled_models.py FOLDER."""
import os
import pathlib
import shutil
import sys
import zipfile

# Probing the compiler for instruction sets takes longer than compiling this model.
os.environ["TORCHINDUCTOR_VEC_ISA_OK"] = "1"
os.environ["TORCHINDUCTOR_CACHE_DIR"] = sys.argv[1] + "_cache"

import torch  # noqa: E402
from torch import nn  # noqa: E402


def with_metadata(package, path, old, new):
    """Copies a package with changed metadata."""
    with zipfile.ZipFile(package) as source, zipfile.ZipFile(path, "w") as target:
        for item in source.infolist():
            data = source.read(item)
            if item.filename.endswith("metadata.json"):
                assert old in data
                data = data.replace(old, new)
            target.writestr(item.filename.replace(package.stem, path.stem, 1), data)


def main():
    folder = pathlib.Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    torch._inductor.config.cpp_cache_precompile_headers = False
    torch._inductor.config.aot_inductor.compile_wrapper_opt_level = "O0"
    torch._inductor.config.cpp.simdlen = 1
    torch.manual_seed(0)
    model = nn.Sequential(nn.Flatten(), nn.Linear(3 * 32 * 32, 10)).eval()
    images = torch.rand(8, 3, 32, 32)
    torch.jit.trace(model, images).save(folder / "same.pt")
    with torch.no_grad():
        program = torch.export.export(model, (images,))
    torch.export.save(program, folder / "not_compiled.pt2")
    eight = folder / "eight.pt2"
    torch._inductor.aoti_compile_and_package(program, package_path=str(eight))
    with_metadata(eight, folder / "for_cuda.pt2", b'"AOTI_DEVICE_KEY": "cpu"', b'"AOTI_DEVICE_KEY": "cuda"')
    (folder / "text.pt2").write_text("no model\n")


if __name__ == "__main__":
    main()
