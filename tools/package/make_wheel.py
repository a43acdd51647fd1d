# SPDX-License-Identifier: Apache-2.0
"""Packs what tools/bundle gathered into a wheel: make_wheel.py --bundle DIR --build DIR --source DIR --out DIR.

    stepbench/bin/      stepbench; stepbench-worker (wheel_worker.sh), which finds torch and becomes stepbench-worker.elf
    stepbench/bin/python/   the worker's module for one version of Python, where the build made it; the worker in Python
    stepbench/lib/      Debian's libraries; without_cuda/ for a torch that has no CUDA
    stepbench/share/    what draws the charts of a report
    stepbench/configs/, stepbench/examples/     as in the repository
    stepbench/*.py      load(): results as DataFrames; the plug-in for pytest; callbacks
    stepbench_worker/   what runs scripts, in any Python
"""
import argparse
import base64
import hashlib
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import zipfile

from elf_versions import Elf, ask_for_older, needed_versions, newest

# Dynamic tags. A DT_RPATH also applies to the libraries of libraries.
DT_RPATH, DT_RUNPATH, PT_DYNAMIC = 15, 29, 2
NOTE_HEADER = 16  # bytes, including the owner's name

# The libstdc++ that manylinux_2_34 guarantees; if the programs need a newer one, the builder's own is included.
LIBSTDCXX_OF_2_34 = (3, 4, 29)
OF_CUDA = ("libtorch_cuda.so", "libc10_cuda.so")

METADATA = """\
Metadata-Version: 2.1
Name: stepbench
Version: {version}
Summary: Benchmark harness for training steps
License: Apache-2.0
Requires-Python: >=3.9
Classifier: Operating System :: POSIX :: Linux

{readme}"""


def run_paths_for_all(file):
    """Turns an ELF file's DT_RUNPATH into DT_RPATH, so that Debian's libraries find each other by their loader's
    path."""
    data = bytearray(file.read_bytes())
    table, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for i in range(count):
        kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", data, table + i * size)
        if kind != PT_DYNAMIC:
            continue
        for at in range(offset, offset + length, 16):
            if struct.unpack_from("<Q", data, at) == (DT_RUNPATH,):
                struct.pack_into("<Q", data, at, DT_RPATH)
    file.write_bytes(data)


def set_run_path(file, path):
    """Replaces the run path set by the build."""
    script = file.with_suffix(".cmake")
    script.write_text(f"""
file(READ_ELF "{file}" RPATH rpath RUNPATH runpath CAPTURE_ERROR ignored)
file(RPATH_CHANGE FILE "{file}" OLD_RPATH "${{rpath}}${{runpath}}" NEW_RPATH "{path.replace("$", chr(92) + "$")}")
""")
    subprocess.run(["cmake", "-P", script], check=True)
    script.unlink()
    run_paths_for_all(file)


def licences(library, originals):
    """Returns the Debian package of a library and its copyright file."""
    path = originals[library]  # dpkg may know it without /usr
    owner = subprocess.run(["dpkg", "-S", path, path.removeprefix("/usr")], capture_output=True, text=True).stdout
    owner = owner.split(":")[0]
    copyright_file = pathlib.Path("/usr/share/doc", owner, "copyright")
    return (owner, copyright_file) if owner and copyright_file.is_file() else None


def original_paths(programs):
    """Returns the paths at which the loader found the libraries, by name."""
    found = {}
    for program in programs:
        for line in subprocess.run(["ldd", program], capture_output=True, text=True).stdout.splitlines():
            name, arrow, rest = line.strip().partition(" => ")
            if arrow and rest.startswith("/"):
                found[name] = os.path.realpath(rest.split(" (")[0])
    return found


def elf_files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF")


def needed(file):
    shown = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", shown)


def symbols(file, kind):
    shown = subprocess.run(["nm", "-D", f"--{kind}-only", "--format=posix", file], capture_output=True, text=True, check=True)
    return {line.split()[0].partition("@")[0] for line in shown.stdout.splitlines()}


def stand_in_for_cuda(asking, torch, folder):
    """Makes libraries with the names of torch's CUDA libraries, for a torch without CUDA: a call into them ends the
    program."""
    asked = set().union(*(symbols(file, "undefined") for file in asking))
    folder.mkdir()
    for name in OF_CUDA:
        if not (torch / "lib" / name).exists():
            continue
        functions = sorted(asked & symbols(torch / "lib" / name, "defined"))
        source = folder / "stand_in.c"
        source.write_text("".join(f'void f{i}(void) __asm__("{function}");\nvoid f{i}(void) {{ __builtin_trap(); }}\n'
                                  for i, function in enumerate(functions)))
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-s", "-Wl,--build-id=none", f"-Wl,-soname,{name}", "-o",
                        folder / name, source], check=True)
        source.unlink()


def set_build_id(file):
    """Sets the build id to a hash of the delivered file and returns it in hexadecimal. The linker's depends on debug
    information too, which contains the build folder's name."""
    data = bytearray(file.read_bytes())
    offset, size = Elf(data).sections[".note.gnu.build-id"]
    begin, end = offset + NOTE_HEADER, offset + size
    data[begin:end] = bytes(end - begin)
    data[begin:end] = hashlib.sha512(data).digest()[:end - begin]
    file.write_bytes(data)
    return data[begin:end].hex()


def python_of_build(build):
    """Returns the Python version of the module: 3.11."""
    found = re.search(r"STEPBENCH_PYTHON_VERSION=\\+\"([\d.]+)", (build / "build.ninja").read_text())
    return found[1] if found else ""


def write_launcher(bundle, build, source, package, ids):
    worker = package / "bin/stepbench-worker.elf"
    torch = [name for name in needed(worker) if name.startswith(("libtorch", "libc10"))]
    text = (source / "tools/package/wheel_worker.sh").read_text()
    for name, value in (("TORCH", (bundle / "torch-version").read_text().strip()), ("LIBRARIES", " ".join(torch)),
                        ("BUILD_ID", ids[worker]), ("PYTHON", python_of_build(build))):
        text = text.replace(f"@{name}@", value)
    (package / "bin/stepbench-worker").write_text(text)


def lay_out(bundle, build, source, torch, stage):
    package = stage / "stepbench"
    shutil.copytree(bundle / "bin", package / "bin", ignore=shutil.ignore_patterns("gpu_tests", "gpu_facts"))
    shutil.copytree(bundle / "lib", package / "lib")
    if (bundle / "share/stepbench").exists():
        shutil.copytree(bundle / "share", package / "share", ignore=shutil.ignore_patterns("python"))
    shutil.copytree(source / "configs", package / "configs", ignore=shutil.ignore_patterns("*.md"))
    shutil.copytree(source / "tools/examples", package / "examples", ignore=shutil.ignore_patterns("__pycache__", "build"))
    for name in ("stepbench", "stepbench_worker"):
        shutil.copytree(source / "tools/python" / name, stage / name, ignore=shutil.ignore_patterns("__pycache__"),
                        dirs_exist_ok=True)
    worker = package / "bin/stepbench-worker.elf"
    (package / "bin/stepbench-worker").rename(worker)
    set_run_path(package / "bin/stepbench", "$ORIGIN/../lib")
    set_run_path(worker, "$ORIGIN/../lib:$ORIGIN/../../torch/lib")
    shutil.copytree(build / "tools/stepbench/python", package / "bin/python",
                    ignore=shutil.ignore_patterns("__pycache__", "stepbench_python.*.so"))  # the build's Python only
    module = package / "bin/python/stepbench_python.so"
    if module.exists():
        subprocess.run(["strip", "--strip-unneeded", module], check=True)
        set_run_path(module, "$ORIGIN/../../lib")
    stand_in_for_cuda([worker, *filter(pathlib.Path.exists, [module])], torch, package / "lib/without_cuda")
    for file in elf_files(package):
        ask_for_older(file)
    ids = {file: set_build_id(file) for file in (package / "bin/stepbench", worker, module) if file.exists()}
    write_launcher(bundle, build, source, package, ids)
    for program in ("stepbench", "stepbench-worker", "stepbench-worker.elf"):
        (package / "bin" / program).chmod(0o755)


def add_facts(bundle, build, source, stage, version, tag):
    facts = stage / f"stepbench-{version}.dist-info"
    (facts / "licenses").mkdir(parents=True)
    shutil.copy(source / "LICENSE", facts / "licenses/LICENSE")
    originals = original_paths([build / "tools/stepbench" / name for name in ("stepbench", "stepbench-worker")])
    for library in sorted((stage / "stepbench/lib").glob("*.so*")):
        licence = licences(library.name, originals)
        if licence is None:
            raise SystemExit(f"make_wheel.py: no licence was found for {library.name}: it is of no Debian package")
        shutil.copy(licence[1], facts / "licenses" / f"{licence[0]}.txt")
    if not any(name.startswith("libarchive.so") for name in originals):  # statically linked into the programs
        shutil.copy("/usr/share/doc/libarchive-dev/copyright", facts / "licenses/libarchive-dev.txt")
    readme = (source / "tools/python/README.md").read_text()
    (facts / "METADATA").write_text(METADATA.format(version=version, readme=readme))
    (facts / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: stepbench\nRoot-Is-Purelib: false\nTag: {tag}\n")
    (facts / "entry_points.txt").write_text("[console_scripts]\nstepbench = stepbench:main\n\n"
                                            "[pytest11]\nstepbench = stepbench.pytest_plugin\n")
    return facts


def pack(stage, facts, wheel):
    """Writes the wheel atomically."""
    part = wheel.with_suffix(".part")
    write_archive(stage, facts, part)
    part.rename(wheel)


def write_archive(stage, facts, wheel):
    files = sorted(path for path in stage.rglob("*") if path.is_file())
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            name, content = file.relative_to(stage).as_posix(), file.read_bytes()
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))  # fixed date: the same files make the same wheel
            entry.external_attr = (0o100755 if os.access(file, os.X_OK) else 0o100644) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}")
        name = f"{facts.name}/RECORD"
        archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), "\n".join([*record, f"{name},,"]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("bundle", "build", "source", "out"):
        parser.add_argument("--" + name, type=pathlib.Path, required=True)
    at = parser.parse_args()
    version = re.search(r"project\(stepbench VERSION (\S+)", (at.source / "CMakeLists.txt").read_text())[1]
    torch = pathlib.Path(re.search(r"^Torch_DIR:PATH=(.*)/share/cmake/Torch$", (at.build / "CMakeCache.txt").read_text(),
                                   re.M)[1])
    stage = at.bundle.parent / "wheel"
    cxx = sorted((at.bundle / "lib/cxx").iterdir())
    with tempfile.TemporaryDirectory() as aside:  # a wheel's programs search only one folder
        shutil.move(at.bundle / "lib/cxx", aside)
        lay_out(at.bundle, at.build, at.source, torch, stage)
        versions = set().union(*map(needed_versions, elf_files(stage)))
        if newest(versions, "GLIBCXX") > LIBSTDCXX_OF_2_34:
            for library in cxx:
                shutil.copy(pathlib.Path(aside, "cxx", library.name), stage / "stepbench/lib")
            versions = set().union(*map(needed_versions, elf_files(stage)))
    glibc = newest(versions, "GLIBC")
    tag = f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{os.uname().machine}"
    facts = add_facts(at.bundle, at.build, at.source, stage, version, tag)
    wheel = at.out / f"stepbench-{version}-{tag}.whl"
    pack(stage, facts, wheel)
    print(f"{wheel}: {wheel.stat().st_size / 2**20:.1f} MiB, in C++ for torch {(at.bundle / 'torch-version').read_text().strip()}, "
          f"for glibc {glibc[0]}.{glibc[1]}")


if __name__ == "__main__":
    main()
