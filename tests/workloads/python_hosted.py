# SPDX-License-Identifier: Apache-2.0
"""The tests of users' Python files, whose workers are all forked from one Python: python_hosted.py STEPBENCH WORKER
[MODULE.CLASS.TEST]..."""
import pathlib
import sys
import unittest

STEPBENCH = pathlib.Path(sys.argv.pop(1)).resolve()
MODULES = ("python_bad_input", "python_batches", "python_fallback", "python_findings", "python_iterable")

if __name__ == "__main__":
    sys.modules["python_hosted"] = sys.modules["__main__"]
    import python_worker  # noqa: F401, takes WORKER
    unittest.main(module=None, argv=[sys.argv[0], "-v", *(sys.argv[1:] or MODULES)])
