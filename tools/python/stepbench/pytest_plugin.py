# SPDX-License-Identifier: Apache-2.0
"""The pytest fixture `stepbench`, which the wheel installs:

    def test_tokenize(stepbench):
        result = stepbench(tokenize, "some text")      # rounds in fresh processes; a call is a step
        assert result.step_ns < 2e6

`pytest --stepbench-compare ../base` measures the functions of this checkout and of another one in turns; a test fails
if its function is confirmed to be slower.
"""
from __future__ import annotations

import shlex
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .rounds import Result, RoundError, Rounds, Slower


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("stepbench", "rounds in fresh processes")
    group.addoption("--stepbench-compare", metavar="BASE", default=None,
                    help="folder of another checkout of this project: a test fails where its function is slower than there")
    group.addoption("--stepbench-results", metavar="DIR", default="results/pytest", help="folder for results")
    group.addoption("--stepbench-options", metavar="WORDS", default="",
                    help="more options for `stepbench run` or, with --stepbench-compare, `stepbench ab`")


def pytest_configure(config: pytest.Config) -> None:
    base = config.getoption("--stepbench-compare")
    if base is not None and not Path(base).is_dir():
        raise pytest.UsageError(f"--stepbench-compare {base}: there is no such folder; it takes another checkout, as "
                                "`git worktree add ../base main` makes one")


@pytest.fixture
def stepbench(request: pytest.FixtureRequest) -> Callable[..., Result]:
    option: Any = request.config.getoption
    config = request.config
    root = config.rootpath if config.inipath is not None else Path(config.invocation_params.dir)
    base = option("--stepbench-compare")
    rounds = Rounds(root, request.node.nodeid, root / option("--stepbench-results"),
                    Path(base).resolve() if base is not None else None, tuple(shlex.split(option("--stepbench-options"))))

    def measured(function: Callable[..., Any], *arguments: Any, **named: Any) -> Result:
        try:
            result = rounds(function, *arguments, **named)
        except Slower as slower:
            failed = f"{function.__name__} is slower than in {base}\n{slower}"
        except (RoundError, TypeError) as error:
            failed = f"stepbench measured nothing: {error}"
        else:
            if rounds.undecided:
                warnings.warn(f"stepbench cannot tell: {rounds.undecided}", stacklevel=2)
            return result
        pytest.fail(failed, pytrace=False)

    return measured
