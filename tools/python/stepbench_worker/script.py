# SPDX-License-Identifier: Apache-2.0
"""Runs a script like `python SCRIPT ARGS`, and describes its failure in one sentence."""
from __future__ import annotations

import multiprocessing
import os
import re
import sys
import traceback
import types
from pathlib import Path

from . import ranks
from .source import LoopError

FRAME = re.compile(r'File "(.+)", line (\d+), in (\S+)')


def run(script: Path, arguments: list[str]) -> None:
    """Raises what the script raises."""
    module = types.ModuleType("__main__")  # so that its definitions can be pickled, and found by spawned workers
    module.__file__ = str(script)
    module.__builtins__ = __builtins__  # type: ignore[attr-defined]
    sys.modules["__main__"] = module
    sys.argv = [str(script), *arguments]
    sys.path.insert(0, str(script.parent))
    package = package_of(script)
    if package:  # as with `python -m`, for relative imports
        module.__package__ = package
        sys.path.append(str(script.parents[package.count(".") + 1]))
    code = compile(script.read_bytes(), str(script), "exec")
    exec(code, module.__dict__)


def package_of(script: Path) -> str:
    """Returns "pkg.tools" for pkg/tools/train.py; empty if its folder is not a package: has no __init__.py, and the script
    imports nothing from it as `python -m pkg.tools.train` may."""
    names = []
    for folder in script.parents:
        if not (folder / "__init__.py").is_file():
            break
        names.append(folder.name)
    if not names and Path.cwd() in script.parents[1:]:
        folders = script.parent.relative_to(Path.cwd()).parts
        source = script.read_text(encoding="utf-8", errors="replace")
        if re.search(rf"^\s*(from\s+\.|(from|import)\s+{re.escape(folders[0])}\b)", source, re.M):
            names = list(reversed(folders))
    return ".".join(reversed(names))


def print_error(error: BaseException) -> None:
    """Prints the traceback like Python, without the frames of this package."""
    here = str(Path(__file__).parent)
    shown = traceback.TracebackException.from_exception(error)
    shown.stack = traceback.StackSummary.from_list([each for each in shown.stack if not each.filename.startswith(here)])
    print("".join(shown.format()), file=sys.stderr, end="", flush=True)


def argument_error(ended: SystemExit) -> str:
    """Returns the message that argparse printed before it ended the script: ": the following arguments are required:
    --data"."""
    for frame, _ in traceback.walk_tb(ended.__traceback__):
        message = frame.f_locals.get("message")
        if frame.f_code.co_name == "error" and Path(frame.f_code.co_filename).name == "argparse.py" and message:
            return f": {message}"
    return ""


def spawn_hint(script: Path, text: str) -> str:
    """Returns a hint if a worker process ended at once because it runs the whole script again; else empty."""
    ended = "exited unexpectedly" in text or "bootstrapping phase" in text
    source = script.read_text(encoding="utf-8", errors="replace") if ended and script.is_file() else "__main__"
    started = multiprocessing.get_start_method()
    if "__main__" in source or not (started != "fork" or re.search("spawn|forkserver", source)):
        return ""
    return ': a process that is spawned runs the script again; put what the script does under `if __name__ == "__main__":`'


def reason_of(error: BaseException, script: Path) -> str:
    """Returns e.g. "ValueError: no such label (train.py, line 12, in step)"."""
    if isinstance(error, LoopError):
        return str(error)
    lines = [line for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else ""
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg} ({Path(error.filename or script).name}, line {error.lineno})"
    frames = [(each.filename, str(each.lineno), each.name) for each in traceback.extract_tb(error.__traceback__)]
    what = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if len(lines) > 1 and "Original Traceback" in str(error):  # from a worker process of torch's DataLoader
        frames = FRAME.findall(str(error))
        what = f"{lines[-1].strip()}, in a worker process of the loader"
    hint = spawn_hint(script, text) + ranks.hint(error)
    if isinstance(error, ModuleNotFoundError):
        hint += f": {sys.executable} has no such module; install it there, or name another Python by --interpreter"
    folder = os.environ.get("STEPBENCH_ROUND_ROOT", str(script.parent))  # set by stepbench/rounds.py
    own = [frame for frame in frames if frame[0].startswith(folder)] or frames
    if not own:
        return what + hint
    file, line, function = own[-1]
    inside = "" if function == "<module>" else f", in {function}"
    return f"{what} ({Path(file).name}, line {line}{inside}){hint}"
