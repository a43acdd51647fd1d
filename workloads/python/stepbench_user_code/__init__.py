# SPDX-License-Identifier: Apache-2.0
"""The Python side of stepbench's worker. Standard library and torch only; not for import by users."""
