# SPDX-License-Identifier: Apache-2.0
"""Results as DataFrames of pandas or polars. The program reads the files, as results/SCHEMA.md specifies; times are in
nanoseconds."""
from __future__ import annotations

import ast
import importlib
import io
import json
import os
import sys
import tempfile
from array import array
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from .program import output_of, quiet_output_of

LIBRARIES = ("pandas", "polars")
IDS = ("case_id", "run_id", "series", "series_id", "host", "git_sha", "build_id")  # always strings, even if all digits


class Run(NamedTuple):
    """cases: a row per case, with its options, estimates and metrics, as in `stepbench show --format csv`. steps: a row
    per measured step, with case_id, launch, rank, cycle and the columns of the samples."""

    cases: Any
    steps: Any


class Verdict(NamedTuple):
    """cases: a row per case and tested metric. causes: a row per phase that explains a change."""

    verdict: str
    exit_code: int
    cases: Any
    causes: Any


class History(NamedTuple):
    """points: a row per series and night."""

    points: Any


def load(path: str | os.PathLike[str], library: str | None = None) -> Run | Verdict | History:
    """Loads a run's folder or file, the verdict.json of `ab` or `compare`, or a history.db of `track` and `nightly`.

    library: "pandas" or "polars"; default: the one that is already imported, else the installed one. Raises ValueError
    for unreadable input, FileNotFoundError, and ModuleNotFoundError if neither library is installed."""
    file = Path(path)
    if not file.exists():
        raise FileNotFoundError(f"{file}: there is no such run, verdict or history")
    frames = _library(library)
    if file.is_file() and file.suffix == ".json":
        return _verdict(file, frames)
    if file.is_file() and file.suffix == ".db":
        return History(_of_csv(frames, output_of("export", str(file), "--format", "csv")))
    return _run(str(file), frames)


def _library(asked: str | None) -> Any:
    if asked is not None and asked not in LIBRARIES:
        raise ValueError(f"library={asked!r}: expected one of {', '.join(LIBRARIES)}")
    wanted = [asked] if asked else sorted(LIBRARIES, key=lambda name: name not in sys.modules)
    for name in wanted:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
    raise ModuleNotFoundError(f"stepbench.load() makes DataFrames of {asked or 'pandas or polars'}, which is not installed in "
                              f"{sys.executable}")


def _run(path: str, frames: Any) -> Run:
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as beside:
        file = Path(folder, "steps.npy")
        written = beside.submit(quiet_output_of, "show", path, "--samples", "--format", "npy", "--output",
                                str(file))
        cases = _of_csv(frames, output_of("show", path, "--format", "csv"))
        written.result()
        # The program numbers the cases in the order in which it lists them.
        return Run(cases, _steps(file.read_bytes(), list(cases["case_id"]), frames))


def _steps(npy: bytes, ids: list[str], frames: Any) -> Any:
    """Reads records of 64-bit integers in the format of numpy.save."""
    begin = 10 + int.from_bytes(npy[8:10], "little")
    header = ast.literal_eval(npy[10:begin].decode("latin-1"))
    names = [name for name, _ in header["descr"]]
    if len(npy) == begin:  # nothing was measured
        return frames.DataFrame({name: [] for name in ("case_id", "launch", "rank", "cycle", "step_ns")})
    if any(kind != "<i8" for _, kind in header["descr"]):
        raise ValueError("invalid steps: load() and stepbench are of different versions")
    try:
        import numpy  # pandas requires numpy; polars does not
    except ModuleNotFoundError:
        values = array("q", npy[begin:])
        columns = {name: list(values[at::len(names)]) for at, name in enumerate(names)}
        return frames.DataFrame({"case_id": [ids[number] for number in columns.pop("case")], **columns})
    table = numpy.frombuffer(npy, dtype="<i8", offset=begin).reshape(-1, len(names))
    case_ids = numpy.array(ids, dtype=object)[table[:, 0]]
    if frames.__name__ != "pandas":
        return frames.DataFrame({"case_id": case_ids, **{name: table[:, at] for at, name in enumerate(names) if at > 0}})
    steps = frames.DataFrame(table, columns=names)  # no copy
    steps["case"] = case_ids
    return steps.rename(columns={"case": "case_id"})


def _of_csv(frames: Any, text: bytes) -> Any:
    named = text.split(b"\n", 1)[0].decode().strip().split(",")
    ids = {name: str for name in named if name in IDS}
    if frames.__name__ == "polars":
        return frames.read_csv(io.BytesIO(text), infer_schema_length=None,
                               schema_overrides={name: frames.String for name in ids})
    return frames.read_csv(io.BytesIO(text), dtype=ids)


def _verdict(file: Path, frames: Any) -> Verdict:
    try:
        said = json.loads(file.read_text(encoding="utf-8"))
        schema = said["schema"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{file}: not a verdict of stepbench: {error}") from error
    if schema != "stepbench.verdict":
        raise ValueError(f"{file}: is of the schema {schema}; load() takes a run, a verdict or a history")
    cases, causes = [], []
    for case in said["cases"]:
        key = {"case_id": case["case_id"], "candidate_case_id": case.get("candidate_case_id", ""),
               **{name: case["options"].get(name) for name in said.get("swept", [])}}
        cases += [{**key, **_flat(metric)} for metric in case.get("metrics", [])]
        causes += [{**key, **_flat(cause)} for cause in case.get("cause", [])]
    return Verdict(said["verdict"], said["exit_code"], frames.DataFrame(cases), frames.DataFrame(causes))


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not isinstance(value, (dict, list))}
