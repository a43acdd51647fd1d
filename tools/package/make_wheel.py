# SPDX-License-Identifier: Apache-2.0
"""Packs what tools/bundle gathered into a wheel: make_wheel.py --bundle DIR --build DIR --source DIR --out DIR.

    stepbench/bin/      stepbench; stepbench-worker, which finds torch and becomes stepbench-worker.elf
    stepbench/bin/python/   the worker's module for one version of Python, where the build made it
    stepbench/lib/      Debian's libraries
    stepbench/share/    what draws the charts of a report
    stepbench/*.py      load(): results as DataFrames; the plug-in for pytest
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
import zipfile

# dynamic tags: paths of the first kind also count for the libraries of libraries
DT_RPATH, DT_RUNPATH, PT_DYNAMIC = 15, 29, 2

WORKER = """\
#!/bin/sh
# Becomes the worker, against the torch beside this package or that of the environment's Python.
here=$(cd -- "$(dirname -- "$0")" && pwd)
want=@TORCH@
torch=$here/../../torch
if [ ! -f "$torch/version.py" ]; then
  torch=$("${STEPBENCH_PYTHON:-python3}" -c 'import importlib.util as u, os
s = u.find_spec("torch")
print(os.path.dirname(s.origin) if s and s.origin else "")' 2>/dev/null)
  if [ -z "$torch" ]; then
    echo "stepbench-worker: there is no torch beside it: pip install torch==${want%%+*}, or measure a script with" \\
      "stepbench run --python" >&2
    exit 2
  fi
  LD_LIBRARY_PATH=$torch/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
fi
have=$(sed -n "s/^__version__ = '\\(.*\\)'$/\\1/p" "$torch/version.py")
for library in @LIBRARIES@; do
  [ -f "$torch/lib/$library" ] || missing=$library
done
if [ "${have%%+*}" != "${want%%+*}" ] || [ -n "$missing" ]; then
  echo "stepbench-worker: built for torch $want; $torch is ${have:-of unknown version}${missing:+, without $missing}:" \\
    "pip install torch==${want%%+*}, or measure a script with stepbench run --python, which takes any torch" >&2
  exit 2
fi
exec "$here/stepbench-worker.elf" "$@"
"""

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
    """Makes DT_RUNPATH an ELF file's DT_RPATH: Debian's libraries find each other by the path of who loads them."""
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
    """In place of the one that the build gave it."""
    script = file.with_suffix(".cmake")
    script.write_text(f"""
file(READ_ELF "{file}" RPATH rpath RUNPATH runpath CAPTURE_ERROR ignored)
file(RPATH_CHANGE FILE "{file}" OLD_RPATH "${{rpath}}${{runpath}}" NEW_RPATH "{path.replace("$", chr(92) + "$")}")
""")
    subprocess.run(["cmake", "-P", script], check=True)
    script.unlink()
    run_paths_for_all(file)


def licences(library, originals):
    """The copyright file of the Debian package that a library is from."""
    path = originals[library]  # of packages that know their files by the old name of the folder, too
    owner = subprocess.run(["dpkg", "-S", path, path.removeprefix("/usr")], capture_output=True, text=True).stdout
    owner = owner.split(":")[0]
    copyright_file = pathlib.Path("/usr/share/doc", owner, "copyright")
    return (owner, copyright_file) if owner and copyright_file.is_file() else None


def original_paths(programs):
    """Where the loader found the libraries, by their names."""
    found = {}
    for program in programs:
        for line in subprocess.run(["ldd", program], capture_output=True, text=True).stdout.splitlines():
            name, arrow, rest = line.strip().partition(" => ")
            if arrow and rest.startswith("/"):
                found[name] = os.path.realpath(rest.split(" (")[0])
    return found


def needed(file):
    shown = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", shown)


def lay_out(bundle, build, source, stage):
    package = stage / "stepbench"
    shutil.copytree(bundle / "bin", package / "bin", ignore=shutil.ignore_patterns("gpu_tests"))
    shutil.copytree(bundle / "lib", package / "lib")
    if (bundle / "share").exists():
        shutil.copytree(bundle / "share", package / "share")
    shutil.copytree(source / "configs", package / "configs", ignore=shutil.ignore_patterns("*.md"))
    shutil.copytree(source / "tools/python/stepbench_worker", stage / "stepbench_worker",
                    ignore=shutil.ignore_patterns("__pycache__"))
    worker = package / "bin/stepbench-worker.elf"
    (package / "bin/stepbench-worker").rename(worker)
    torch = [name for name in needed(worker) if name.startswith(("libtorch", "libc10"))]
    text = WORKER.replace("@TORCH@", (bundle / "torch-version").read_text().strip())
    (package / "bin/stepbench-worker").write_text(text.replace("@LIBRARIES@", " ".join(torch)))
    for module in (source / "tools/python/stepbench").glob("*.py"):
        shutil.copy(module, package)
    set_run_path(package / "bin/stepbench", "$ORIGIN/../lib")
    set_run_path(worker, "$ORIGIN/../lib:$ORIGIN/../../torch/lib")
    shutil.copytree(build / "tools/stepbench/python", package / "bin/python", ignore=shutil.ignore_patterns("__pycache__"))
    module = package / "bin/python/stepbench_python.so"
    if module.exists():
        subprocess.run(["strip", "--strip-unneeded", module], check=True)
        set_run_path(module, "$ORIGIN/../../lib")
    for program in ("stepbench", "stepbench-worker", "stepbench-worker.elf"):
        (package / "bin" / program).chmod(0o755)


def add_facts(bundle, build, source, stage, version, tag):
    facts = stage / f"stepbench-{version}.dist-info"
    (facts / "licenses").mkdir(parents=True)
    shutil.copy(source / "LICENSE", facts / "licenses/LICENSE")
    originals = original_paths([build / "tools/stepbench" / name for name in ("stepbench", "stepbench-worker")])
    for library in sorted((bundle / "lib").iterdir()):
        licence = licences(library.name, originals)
        if licence is None:
            raise SystemExit(f"make_wheel.py: no licence was found for {library.name}: it is of no Debian package")
        shutil.copy(licence[1], facts / "licenses" / f"{licence[0]}.txt")
    if not any(name.startswith("libarchive.so") for name in originals):  # linked into the programs
        shutil.copy("/usr/share/doc/libarchive-dev/copyright", facts / "licenses/libarchive-dev.txt")
    readme = (source / "tools/python/README.md").read_text()
    (facts / "METADATA").write_text(METADATA.format(version=version, readme=readme))
    (facts / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: stepbench\nRoot-Is-Purelib: false\nTag: {tag}\n")
    (facts / "entry_points.txt").write_text("[console_scripts]\nstepbench = stepbench:main\n\n"
                                            "[pytest11]\nstepbench = stepbench.pytest_plugin\n")
    return facts


def pack(stage, facts, wheel):
    files = sorted(path for path in stage.rglob("*") if path.is_file())
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            name, content = file.relative_to(stage).as_posix(), file.read_bytes()
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))  # the same files make the same wheel
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
    glibc = (at.bundle / "c-library-version").read_text().strip()
    tag = f"py3-none-manylinux_{glibc.replace('.', '_')}_{os.uname().machine}"
    stage = at.bundle.parent / "wheel"
    for library in (at.bundle / "lib/cxx").iterdir():  # a wheel's programs look into one folder
        library.rename(at.bundle / "lib" / library.name)
    (at.bundle / "lib/cxx").rmdir()
    lay_out(at.bundle, at.build, at.source, stage)
    facts = add_facts(at.bundle, at.build, at.source, stage, version, tag)
    wheel = at.out / f"stepbench-{version}-{tag}.whl"
    pack(stage, facts, wheel)
    torch = (at.bundle / "torch-version").read_text().strip()
    print(f"{wheel}: {wheel.stat().st_size / 2**20:.1f} MiB, for torch {torch} and glibc {glibc}")


if __name__ == "__main__":
    main()
