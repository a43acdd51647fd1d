#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stepbench-worker of the wheel: becomes the worker in C++ where the torch of this environment is of the version that it
# was built for, with CUDA or without; else the worker in Python, which takes any torch and measures what is written in
# Python.
here=$(dirname -- "$(readlink -f -- "$0")")
want=@TORCH@
python=${STEPBENCH_PYTHON:-python3}
refuse() { echo "stepbench-worker: $*" >&2; exit 2; }

for part in "$here/stepbench-worker.elf" "$here/python/stepbench_host.py" "$here/../../stepbench_worker/__init__.py"; do
  [ -f "$part" ] || refuse "this installation is not complete, $part is missing: pip install --force-reinstall --no-deps" \
    "stepbench"
done
torch=$here/../../torch
if [ ! -f "$torch/version.py" ]; then
  # Not the current folder's: "python -P", which is of 3.11.
  torch=$("$python" -c 'import sys
sys.path = [folder for folder in sys.path if folder]
import importlib.util as u, os
s = u.find_spec("torch")
print(os.path.dirname(s.origin) if s and s.origin else "")' 2>/dev/null)
  [ -n "$torch" ] || refuse "$python has no torch: pip install torch==${want%%+*}, or measure a script with" \
    "stepbench run --python, which needs none"
  LD_LIBRARY_PATH=$torch/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
fi
have=$(sed -n "s/^__version__ = '\(.*\)'$/\1/p" "$torch/version.py")
missing=
for library in @LIBRARIES@; do
  [ -f "$torch/lib/$library" ] || missing=$library
done
if [ "${have%%+*}" = "${want%%+*}" ]; then
  if [ -n "$missing" ] && [ ! -f "$torch/lib/libtorch_cuda.so" ]; then
    # A torch for CPUs: what a worker on CUDA would call is here, and stops it.
    LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$here/../lib/without_cuda
    export LD_LIBRARY_PATH
    missing=
  fi
  [ -n "$missing" ] || exec "$here/stepbench-worker.elf" "$@"
fi
why="built for torch $want; $torch is ${have:-of unknown version}${missing:+, without $missing}"
case ${1:-} in
  --control* | --case*)
    exec "$python" "$here/python/stepbench_host.py" --worker="$here/stepbench-worker" --build-id=@BUILD_ID@ \
      --python=@PYTHON@ --torch="${want%%+*}" --package="$here/../.." -- "$@"
    ;;
  --no-python=*) refuse "${1#--no-python=}" ;;
esac
refuse "$why: pip install torch==${want%%+*} for what is computed in C++; scripts (stepbench run --python) and parts in" \
  "Python are measured beside any torch"
