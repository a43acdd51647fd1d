# SPDX-License-Identifier: Apache-2.0
"""Runs stepbench's worker inside this interpreter. stepbench-worker becomes this script, see launcher.h:

PYTHON stepbench_host.py --worker=FILE --build-id=ID --python=3.11 --torch=2.11.0 [--else=PYTHON]... -- ARGUMENTS

Where this interpreter or its torch does not fit it becomes the next one named by --else, or the worker again, which
then says why there is no Python.
"""
import os
import sys
import time


def parse(arguments):
    """The options above as a dict, the interpreters that are left, and the worker's own arguments."""
    end = arguments.index("--")
    options = {"else": []}
    for argument in arguments[:end]:
        name, _, value = argument[2:].partition("=")
        if name == "else":
            options["else"].append(value)
        else:
            options[name] = value
    return options, arguments[end + 1 :]


def torch_version():
    """Of the torch that this interpreter would import, without importing it; None: there is none."""
    # As importlib.util.find_spec, whose module takes longer to import than the interpreter to start.
    found = (finder.find_spec("torch", None) for finder in sys.meta_path)
    spec = next((each for each in found if each is not None), None)
    if spec is None or not spec.origin:
        return None
    # Read, not run: the file imports typing, which takes as long as the interpreter's own start.
    try:
        with open(os.path.join(os.path.dirname(spec.origin), "version.py"), encoding="utf-8") as file:
            lines = [line for line in file if line.startswith("__version__")]
    except OSError:
        return ""
    # Empty: a torch that was built by hand, which importing it tells.
    return lines[0].partition("=")[2].strip().strip("'\"") if lines else ""


def misfit(options):
    """Why the module cannot be loaded here, or None."""
    mine = "{}.{}".format(*sys.version_info[:2])
    if mine != options["python"]:
        return (
            f"{sys.executable} is Python {mine}, and this stepbench was built for Python {options['python']}: name "
            f"such an interpreter with --interpreter PATH, or build again beside this one"
        )
    version = torch_version()
    if version is None:
        return (
            f"{sys.executable} has no torch: activate the environment that has it (venv, conda or uv), or name its "
            f"interpreter with --interpreter PATH, e.g. .venv/bin/python"
        )
    if version.split("+")[0] != options["torch"].split("+")[0]:
        return (
            f"{sys.executable} has torch {version}, and this stepbench was built for torch {options['torch']}: install "
            f"that one, or build again with -DSTEPBENCH_TORCH={sys.prefix}/lib/python{mine}/site-packages/torch"
        )
    return None


def give_up(reason, options, arguments):
    """Becomes the next interpreter, or the worker that says why. Does not return."""
    others = options["else"]
    passed = [argument for argument in sys.argv[1:] if not argument.startswith(("--else=", "--tried="))]
    tried = "; ".join(filter(None, [options.get("tried", ""), reason]))
    sys.stdout.flush()
    sys.stderr.flush()
    if others:
        more = [f"--tried={tried}"] + [f"--else={other}" for other in others[1:]]
        os.execv(others[0], [others[0], sys.argv[0], *more, *passed])
    os.execv(options["worker"], [options["worker"], f"--no-python={tried}", *arguments])


def main():
    options, arguments = parse(sys.argv[1:])
    reason = misfit(options)
    if reason:
        give_up(reason, options, arguments)
    began = time.monotonic_ns()
    try:
        import torch  # noqa: F401
    except Exception as error:
        give_up(f"{sys.executable} cannot import torch: {error}", options, arguments)
    imported = time.monotonic_ns()
    try:
        import stepbench_python
    except ImportError as error:
        give_up(f"{sys.executable} cannot load stepbench's module: {error}", options, arguments)
    sys.argv = [options["worker"], *arguments]
    return stepbench_python.worker_main(sys.argv, options["build-id"], imported - began)


if __name__ == "__main__":
    sys.exit(main())
