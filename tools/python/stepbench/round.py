# SPDX-License-Identifier: Apache-2.0
"""The script of one round: calls a user's function, named in a file by rounds.py, in a measured loop."""
import importlib
import itertools
import json
import os
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stepbench_worker import measure


class Calls:
    def __iter__(self) -> Iterator[None]:
        return itertools.repeat(None)


def function_of(wanted: dict[str, str], root: Path) -> Any:
    file = root / wanted["file"]
    here = str(Path(__file__).resolve().parent)
    places = [str(file.parent), str(root / "src"), str(root)]  # before installed packages: a base has its own
    sys.path[:] = [*places, *(place for place in sys.path if place != here)]
    found: Any = importlib.import_module(file.stem)
    for name in wanted["function"].split("."):
        found = getattr(found, name)
    return found


def main() -> None:
    wanted = json.loads(Path(os.environ["STEPBENCH_ROUND"]).read_text())
    function = function_of(wanted, Path(os.environ["STEPBENCH_ROUND_ROOT"]))
    arguments, named = pickle.loads(bytes.fromhex(wanted["arguments"]))
    for _ in measure(Calls(), samples=1):
        function(*arguments, **named)


if __name__ == "__main__":
    main()
