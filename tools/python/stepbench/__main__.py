# SPDX-License-Identifier: Apache-2.0
"""`python -m stepbench` runs the program stepbench."""
from . import main

main()
