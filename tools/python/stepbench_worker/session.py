# SPDX-License-Identifier: Apache-2.0
"""The session of this process, to which its loops report."""
from __future__ import annotations

from .loop import Session

_current: Session | None = None


def use(told: Session) -> None:
    global _current
    _current = told


def current() -> Session | None:
    """Returns None if none is set, as in a script that runs alone."""
    return _current
