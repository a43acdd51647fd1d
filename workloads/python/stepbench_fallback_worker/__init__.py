# SPDX-License-Identifier: Apache-2.0
"""A worker in pure Python for interpreters that cannot load stepbench's module: same YAML, same rows. Handles user
files through stepbench_user_code, and uses the loop, clocks and protocol of stepbench_worker. Standard library and
torch."""
