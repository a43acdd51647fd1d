# SPDX-License-Identifier: Apache-2.0
"""The worker in Python itself, for interpreters that cannot load stepbench's module: the same YAML, the same rows. Uses
the user's files by stepbench_hosted, and loop, clocks and protocol of stepbench_worker. Standard library and torch."""
