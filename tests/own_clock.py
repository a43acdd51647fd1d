# SPDX-License-Identifier: Apache-2.0
"""Python scripts with a scripted clock for their steps: they take no real time and do not vary."""
import textwrap

BEGIN = """\
from stepbench_worker import loop, measure, phase, phases
now_ns = loop.monotonic_ns()
loop.monotonic_ns = phases.monotonic_ns = lambda: now_ns
class Loader:
    def __len__(self): return 100
    def __iter__(self): return iter([[1, 2]] * 100)
"""


def on_its_own_clock(begin, step):
    """A script that starts with `begin` and adds to now_ns in each step."""
    return begin + BEGIN + "for batch in measure(Loader()):\n" + textwrap.indent(step, "    ")
