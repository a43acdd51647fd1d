# SPDX-License-Identifier: Apache-2.0
"""The session of this process: whom its loops tell what they measured."""
from __future__ import annotations

from .loop import Session

_current: Session | None = None


def use(told: Session) -> None:
    global _current
    _current = told


def current() -> Session | None:
    """None: nobody has said, as in a script that runs alone."""
    return _current
