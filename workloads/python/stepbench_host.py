# SPDX-License-Identifier: Apache-2.0
"""Runs stepbench's worker inside this interpreter. stepbench-worker replaces itself by this script, see launcher.h:

PYTHON stepbench_host.py --worker=FILE --build-id=ID --python=3.11 --torch=2.11.0 --package=FOLDER [--else=PYTHON]...
    -- ARGUMENTS

If this interpreter or its torch does not fit, the script continues in the next interpreter given by --else. If none
fits, the first one that has torch measures in Python alone (stepbench_fallback_worker). Without any torch, control returns to
the worker, which then reports why there is no Python.
"""
import os
import sys
import time

OLDEST = (3, 9)
MAKE_ONE = "conda create -n NAME python={0}, uv venv --python {0}, or Debian's python{0}-venv, and torch into it"


def parse(arguments):
    """Returns the options above as a dict, including the remaining interpreters, and the worker's own arguments."""
    end = arguments.index("--")
    options = {"else": []}
    for argument in arguments[:end]:
        name, _, value = argument[2:].partition("=")
        if name == "else":
            options["else"].append(value)
        else:
            options[name] = value
    return options, arguments[end + 1 :]


def torch_folder():
    """Returns the folder of the torch that this interpreter would import, without importing it; None: no torch."""
    # Like importlib.util.find_spec, whose module takes longer to import than the interpreter to start.
    found = (finder.find_spec("torch", None) for finder in sys.meta_path)
    spec = next((each for each in found if each is not None), None)
    return os.path.dirname(spec.origin) if spec is not None and spec.origin else None


def torch_version():
    """Returns the version of that torch; None: no torch."""
    folder = torch_folder()
    if folder is None:
        return None
    # Read the file, do not run it: it imports typing, which takes as long as the interpreter's own start.
    try:
        with open(os.path.join(folder, "version.py"), encoding="utf-8") as file:
            lines = [line for line in file if line.startswith("__version__")]
    except OSError:
        return ""
    # Empty: a torch built by hand; importing it reveals the version.
    return lines[0].partition("=")[2].strip().strip("'\"") if lines else ""


def no_torch():
    """Returns why no user code can be measured here at all, or None."""
    if sys.version_info < OLDEST:
        return "{} is Python {}.{}: stepbench needs {}.{} or later".format(sys.executable, *sys.version_info[:2], *OLDEST)
    if torch_version() is None:
        return (
            "{} is Python {}.{} and has no torch: activate the environment that has it (venv, conda or uv), or name its "
            "interpreter with --interpreter PATH, e.g. .venv/bin/python".format(sys.executable, *sys.version_info[:2])
        )
    return None


def has_module_of_its_own():
    """True if this file's folder has a module built for exactly this version of Python."""
    from importlib.machinery import EXTENSION_SUFFIXES

    return os.path.exists(os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "stepbench_python" + EXTENSION_SUFFIXES[0]))


def misfit(options):
    """Returns why the module cannot be loaded here, and what to do; or None."""
    if options.get("no-module"):
        return "this stepbench was built without Python", options["no-module"]
    mine, wanted = "{}.{}".format(*sys.version_info[:2]), options["python"]
    fits = mine == wanted or has_module_of_its_own()
    # Check torch first: C++ work needs torch but no Python, and an environment for another Python needs torch too.
    version, built_for = torch_version(), options["torch"].split("+")[0]
    if version.split("+")[0] != built_for:
        python = "" if fits else f" (and for Python {wanted})"
        return (
            f"{sys.executable} has torch {version}, and this stepbench was built for torch {built_for}{python}",
            f"pip install torch=={built_for}, or build again with -DSTEPBENCH_TORCH={torch_folder()}",
        )
    if not fits:
        return (
            f"{sys.executable} is Python {mine}, and this stepbench was built for Python {wanted}",
            f"name such an interpreter with --interpreter PATH ({MAKE_ONE.format(wanted)}), or build again beside this one",
        )
    return None


def in_one_line(error):
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


def give_up(reason, remedy, options, arguments, can_measure):
    """Continues in the next interpreter, in the first one that can measure in Python, or in the worker, which reports
    the reason. Returns if this interpreter is to measure, with the reason in `options`."""
    others = options["else"]
    known = ("--else=", "--tried=", "--remedy=", "--fallback=", "--last=")
    passed = [argument for argument in sys.argv[1 : sys.argv.index("--")] if not argument.startswith(known)]
    options["tried"] = "; ".join(filter(None, [options.get("tried", ""), reason]))
    options["remedy"] = options.get("remedy") or remedy
    first = options.get("fallback") or (sys.executable if can_measure else "")
    sys.stdout.flush()
    sys.stderr.flush()
    if others or (first and first != sys.executable):
        following = others[0] if others else first
        more = [f"--tried={options['tried']}", f"--remedy={options['remedy']}", f"--fallback={first}"]
        more += [f"--else={other}" for other in others[1:]] if others else ["--last=yes"]
        os.execv(following, [following, sys.argv[0], *passed, *more, "--", *arguments])
    if not first:
        exec_worker(options, arguments)


def exec_worker(options, arguments):
    """Continues as the worker, which reports why there is no Python. Does not return."""
    why = ": ".join(filter(None, [options["tried"], options["remedy"]]))
    os.execv(options["worker"], [options["worker"], f"--no-python={why}", *arguments])


def measure_in_python(options, arguments):
    """Measures a case from the controller or a file; the worker handles everything else."""
    began = time.monotonic_ns()
    sys.path.insert(1, options["package"])
    try:
        from stepbench_fallback_worker import launch
    except Exception as error:
        options["tried"] = f"{sys.executable} cannot import torch: {in_one_line(error)}"
        exec_worker(options | {"remedy": ""}, arguments)
    control = launch.control_of(arguments)
    if control is None:
        exec_worker(options, arguments)
    launch.measure(control, options["build-id"], options["tried"], options["remedy"], time.monotonic_ns() - began)


def main():
    options, arguments = parse(sys.argv[1:])
    if options.get("last"):  # all others have been tried
        measure_in_python(options, arguments)
    unusable = no_torch()
    if unusable:
        give_up(unusable, "", options, arguments, False)
        measure_in_python(options, arguments)
    other = misfit(options)
    if other:
        give_up(*other, options, arguments, bool(options.get("package")))
        measure_in_python(options, arguments)
    began = time.monotonic_ns()
    try:
        import torch  # noqa: F401
    except Exception as error:
        give_up(f"{sys.executable} cannot import torch: {in_one_line(error)}", "", options, arguments, False)
    imported = time.monotonic_ns()
    try:
        import stepbench_python
    except ImportError as error:
        why = f"{sys.executable} cannot load stepbench's module: {in_one_line(error)}"
        give_up(why, "", options, arguments, bool(options.get("package")))
        measure_in_python(options, arguments)
    sys.argv = [options["worker"], *arguments]
    variables = list(os.environb.items())
    return stepbench_python.worker_main(sys.argv, options["build-id"], imported - began, variables)


if __name__ == "__main__":
    status = main()
    held = sys.modules.get("stepbench_user_code.iterable")
    if held is not None:
        held.leave_if_held(status)
    sys.exit(status)
