# SPDX-License-Identifier: Apache-2.0
"""python -m stepbench is the program stepbench."""
from . import main

main()
