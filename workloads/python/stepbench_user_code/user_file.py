# SPDX-License-Identifier: Apache-2.0
"""Handles user files: imports them by name, as spawned worker processes need, and calls their functions with the
arguments that they accept."""
import hashlib
import importlib
import inspect
import os
import re
import sys
import traceback

import torch

from stepbench_user_code import compiled

STARTED_IN = os.getcwd()  # base of relative paths, even if the user's code changes the folder
SAMPLE = "stepbench: "  # prefix of the note that names an error's sample
ORIGINAL = "Original Traceback"  # in torch's version of a worker process's exception
IN_WORKER = re.compile(r"in DataLoader worker process (\d+)")
FRAME = re.compile(r'\s*File "(.+)", line (\d+), in (\S+)')
OWN_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # folder of this and the neighbouring packages
LIBRARIES = (OWN_FOLDER, os.path.dirname(os.path.dirname(os.path.abspath(torch.__file__))), os.path.dirname(os.__file__))


class UserError(Exception):
    """A mistake in the user's file or configuration. `where`: the option or the place in the file."""

    def __init__(self, where, text):
        super().__init__(text)
        self.where = where


class Absent(UserError):
    """The interpreter has no such module."""

    def __init__(self, where, error):
        hint = f"; {sys.executable} has no such module: install it there, or name another interpreter with --interpreter"
        super().__init__(where, f"{error}{hint}")
        self.module = (error.name or str(error)).partition(".")[0]


class Unavailable(Exception):
    """Not a user error: the case is skipped with this reason."""


def absolute(path):
    return os.path.normpath(os.path.join(STARTED_IN, path))


def load(where, path):
    """Imports the file that the option `where` names."""
    path = absolute(path)
    folder, name = os.path.split(path)
    stem, extension = os.path.splitext(name)
    if extension != ".py" or not stem.isidentifier():
        raise UserError(where, f"'{name}' cannot be imported: name the file as a module, such as my_data.py")
    loaded = sys.modules.get(stem)
    if loaded is not None:
        if os.path.abspath(getattr(loaded, "__file__", None) or "") == path:
            return loaded
        raise UserError(where, f"'{name}' has the name of a module that is loaded already; give the file another name")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return importlib.import_module(stem)
    except SyntaxError as error:
        raise UserError(f"{error.filename}:{error.lineno}", f"{error.msg}: {(error.text or '').strip()}") from None
    except ModuleNotFoundError as error:
        raise Absent(place_of(error, path), error) from None
    except UserError:
        raise
    except BaseException as error:
        print_traceback(error)
        raise UserError(place_of(error, path), summary_of(error)) from None


def functions_of(module):
    """Returns the names that a user may have meant: functions and classes that the file itself defines."""
    own = [
        name
        for name, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", None) == module.__name__ and not name.startswith("_")
    ]
    return ", ".join(sorted(own)) or "none"


def find(where, path, name):
    """Returns the function of that name; the error lists the existing ones."""
    module = load(where, path)
    function = getattr(module, name, None)
    if callable(function):
        return function
    file = os.path.basename(path)
    if function is not None:
        raise UserError(where, f"{name} in {file} is not a function but of type {type(function).__name__}")
    raise UserError(where, f"{file} has no function {name}(); it has: {functions_of(module)}")


def optional(path, name, where="data.path"):
    """Returns the function of that name, or None."""
    function = getattr(load(where, path), name, None)
    if function is None or callable(function):
        return function
    raise UserError(where, f"{name} in {os.path.basename(path)} is not a function but of type {type(function).__name__}")


def parameters_of(function):
    """Returns the keyword parameters, and whether it accepts any other; ([], True) if unknown."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return [], True
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return named, any(p.kind == p.VAR_KEYWORD for p in parameters)


def scalar(text, annotation=None):
    """Parses a value of the section `python`, whose options are text."""
    if not isinstance(text, str) or annotation in (str, "str"):
        return text
    named = {"true": True, "false": False, "null": None}
    if text.lower() in named:
        return named[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def arguments_for(function, texts, offered, positional=0):
    """Returns the `texts` (from the file) and the `offered` values (from stepbench) that the function accepts, by
    name."""
    named, any_other = parameters_of(function)
    named = named[positional:]
    annotations = {p.name: p.annotation for p in named}
    given = {name: text for name, text in texts.items() if any_other or name in annotations}
    arguments = {name: scalar(text, annotations.get(name)) for name, text in given.items()}
    for name, value in offered.items():
        if name in annotations:
            arguments.setdefault(name, value)
    return arguments


def call(where, path, name, texts, offered, others=(), positional=()):
    """Calls a function of the user's file. `others`: (option, path, function) of others that may take arguments."""
    function = find(where, path, name)
    refuse_unknown(where, path, name, texts, others)
    arguments = arguments_for(function, texts, offered, len(positional))
    named, _ = parameters_of(function)
    missing = [
        p.name for p in named[len(positional) :] if p.default is p.empty and p.name not in arguments
    ]
    if missing:
        raise UserError(
            where,
            f"{name}() in {os.path.basename(path)} needs {' and '.join(missing)}: write "
            + " and ".join(f"python.{each}" for each in missing)
            + " into the configuration, or give a default",
        )
    try:
        return function(*positional, **arguments)
    except UserError:
        raise
    except ModuleNotFoundError as error:
        raise Absent(place_of(error, path), error) from None
    except BaseException as error:
        print_traceback(error)
        raise UserError(place_of(error, path), summary_of(error)) from None


def refuse_unknown(where, path, name, texts, others):
    """Raises UserError for an argument that no function of the case accepts."""
    takes = []
    known = set()
    for other_where, other_path, other_name in [(where, path, name), *others]:
        function = optional(other_path, other_name, other_where)
        if function is None:
            continue
        named, any_other = parameters_of(function)
        if any_other:
            return
        known.update(p.name for p in named)
        takes.append(f"{other_name}({', '.join(p.name for p in named)})")
    for argument in texts:
        if argument not in known:
            raise UserError(f"python.{argument}", f"is taken by no function of the case; there is {', '.join(takes)}")


def users_frames(error):
    """Returns the frames of a traceback that are not stepbench's or the import machinery's."""
    frames = traceback.extract_tb(error.__traceback__)
    return [f for f in frames if not f.filename.startswith((OWN_FOLDER, "<frozen importlib"))]


def place_of(error, path):
    frames = users_frames(error)
    own = [f for f in frames if os.path.dirname(f.filename) == os.path.dirname(absolute(path))]
    if not own:
        return os.path.basename(path)
    return f"{os.path.basename(own[-1].filename)}:{own[-1].lineno}"


def print_traceback(error):
    """Prints a traceback like Python, without the frames of this package, to standard error, which the launch keeps."""
    shown = traceback.TracebackException.from_exception(error)
    shown.stack = traceback.StackSummary.from_list(users_frames(error))
    print("".join(shown.format()), file=sys.stderr, end="", flush=True)


def summary_of(error):
    """Describes an error in one line, without the place."""
    if isinstance(error, SystemExit):
        return f"the code called sys.exit({error.code!r})"
    if ORIGINAL in str(error):
        return of_worker(error)[0]
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    name = type(error).__name__
    summary = f"{name}: {lines[0]}" if lines else name
    lacks = compiled.hint(error)
    return f"{lacks}: {summary}" if lacks else summary


def of_worker(error):
    """Parses the text of an exception from torch's worker process: returns the line that names it, and the places of
    the traceback as (file, line, function)."""
    lines = str(error).splitlines()
    at = max((number for number, line in enumerate(lines) if FRAME.match(line)), default=0)
    said = (line for line in lines[at + 1 :] if line[:1].strip())
    return next(said, lines[0]), [FRAME.match(line).groups() for line in lines if FRAME.match(line)]


def reason_of(error):
    """Describes an error in one line: "ValueError: no such label (my_data.py, line 7, in __getitem__; sample 37, loader
    worker 0)"."""
    notes = [*getattr(error, "__notes__", []), *str(error).splitlines()]
    where = [note[len(SAMPLE) :] for note in notes if note.startswith(SAMPLE)][:1]
    if ORIGINAL in str(error):
        places = [place for place in of_worker(error)[1] if not place[0].startswith(LIBRARIES)]
        worker = IN_WORKER.search(str(error))
        where += [f"loader worker {worker.group(1)}"] if worker else []
    else:
        places = [(frame.filename, frame.lineno, frame.name) for frame in users_frames(error)]
        places = [place for place in places if not place[0].startswith(LIBRARIES)] or places
    if places:
        file, line, function = places[-1]
        where.insert(0, f"{os.path.basename(file)}, line {line}" + ("" if function == "<module>" else f", in {function}"))
    return summary_of(error) + (f" ({'; '.join(where)})" if where else "")


def digest(paths):
    """Returns a digest of the contents of the users' files and of modules imported from the same folders; a copy under
    another name has the same digest."""
    first = [absolute(path) for path in paths]
    folders = {os.path.dirname(file) + os.sep for file in first}
    others = set()
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if not file or not file.endswith(".py") or not os.path.isfile(file) or not os.path.isabs(file):
            continue
        if any(file.startswith(folder) for folder in folders) and "site-packages" not in file:
            others.add(file)
    total = hashlib.sha256()
    for content in [*map(digest_of_content, first), *sorted(map(digest_of_content, others.difference(first)))]:
        total.update(content)
    return total.hexdigest()[:16]


def digest_of_content(file):
    with open(file, "rb") as opened:
        return hashlib.sha256(opened.read()).digest()
