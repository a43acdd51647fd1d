# SPDX-License-Identifier: Apache-2.0
"""The worker that `stepbench run --python` starts: PYTHON stepbench_worker --control-fd=3 measures one case."""
import os
import sys

if __package__:
    from .worker import main
else:  # run by path, as `stepbench run` does
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[0] = os.path.dirname(here)
    from stepbench_worker.worker import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
