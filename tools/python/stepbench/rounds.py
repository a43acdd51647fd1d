# SPDX-License-Identifier: Apache-2.0
"""Measures a function in rounds, each in a fresh process; optionally in turns with the same function of another
checkout."""
from __future__ import annotations

import csv
import io
import json
import os
import pickle
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from .program import quiet_output_of, run

ROUND = Path(__file__).with_name("round.py")
SLOWER, UNDECIDED = 1, 3


class Result(NamedTuple):
    """step_ns: time of a call, the median over the rounds; low_ns and high_ns: its interval, nan with a single round or
    when two checkouts are compared. verdict: of that comparison, else empty. folder: of the results, for load() and
    `stepbench show`."""

    step_ns: float
    low_ns: float
    high_ns: float
    verdict: str
    folder: Path


class Slower(AssertionError):
    """The function is slower than the base's, as a confirmed verdict."""


class RoundError(Exception):
    """Nothing could be measured; the message is the program's."""


class Rounds:
    """root: folder of the project with the functions' files. base: folder of another checkout, or None. words: more
    options for `stepbench run` and `ab`."""

    def __init__(self, root: Path, name: str, results: Path, base: Path | None = None, words: tuple[str, ...] = ()) -> None:
        self._root = root
        self._name = name
        self._results = results
        self._base = base
        self._words = words
        self.undecided = ""  # message of an inconclusive comparison

    def __call__(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> Result:
        """Measures calls of `function`, a top-level function of its file, with picklable arguments. Raises Slower,
        RoundError."""
        results = self._results / re.sub(r"[^\w.-]+", "-", self._name)
        before = set(results.glob("*/")) if results.exists() else set()
        with tempfile.TemporaryDirectory() as folder:
            wanted = Path(folder, "round.json")
            wanted.write_text(json.dumps(self._wanted(function, arguments, named)))
            environment = {**os.environ, "STEPBENCH_ROUND": str(wanted), "STEPBENCH_ROUND_ROOT": str(self._root)}
            arms: tuple[str, ...] = ()
            for arm, root in (("a", self._base), ("b", self._root)) if self._base is not None else ():
                arms += (f"--{arm}-env", f"STEPBENCH_ROUND_ROOT={root}", f"--{arm}-env", f"STEPBENCH_PYTHON={sys.executable}")
            done = run("run" if self._base is None else "ab", "--python", str(ROUND), "--interpreter", sys.executable,
                       "--results", str(results), *arms, *self._words, "--", self._name, env=environment, text=True)
        made = sorted(set(results.glob("*/")) - before) if results.exists() else []
        said = done.stdout.strip()
        if not made:
            raise RoundError(done.stderr.strip().removeprefix("stepbench: error: "))
        if self._base is None:
            row, = csv.DictReader(io.StringIO(quiet_output_of("show", str(made[-1]), "--format", "csv").decode()))
            if not row["step_ns"]:
                raise RoundError(row["reason"] or said)
            step_ns, low_ns, high_ns = (float(row[name] or "nan") for name in ("step_ns", "low_ns", "high_ns"))
            return Result(step_ns, low_ns, high_ns, "", made[-1])
        if done.returncode not in (0, SLOWER, UNDECIDED):
            raise RoundError(said)
        if done.returncode == SLOWER:
            raise Slower(said)
        self.undecided = said if done.returncode == UNDECIDED else ""
        verdict = json.loads((made[-1] / "verdict.json").read_text())
        step = next(metric for case in verdict["cases"] for metric in case["metrics"] if metric["name"] == "step")
        return Result(step["candidate_median"], float("nan"), float("nan"), verdict["verdict"], made[-1])

    def _wanted(self, function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> dict[str, str]:
        name = getattr(function, "__qualname__", "")
        code = getattr(function, "__code__", None)
        if code is None or "<" in name:
            raise TypeError(f"{function!r}: a fresh process imports the function by its name; it must stand at the top of a "
                            "file, and be no lambda or function inside another")
        try:
            file = Path(code.co_filename).resolve().relative_to(self._root.resolve())
        except ValueError as error:
            raise TypeError(f"{name} lies in {code.co_filename}, outside of {self._root}: measure a function of the project "
                            "that calls it") from error
        try:
            packed = pickle.dumps((arguments, named))
        except Exception as error:  # depends on the arguments' types
            raise TypeError(f"the arguments of {name} cannot be sent to a fresh process: {error}") from error
        return {"file": str(file), "function": name, "arguments": packed.hex()}
