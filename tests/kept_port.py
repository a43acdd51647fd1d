# SPDX-License-Identifier: Apache-2.0
"""A port of the loopback for the server of a test."""
import contextlib
import socket


@contextlib.contextmanager
def kept_port():
    """The kernel gives it to nobody else meanwhile; a server that sets SO_REUSEADDR, as PostgreSQL and torch's store
    do, can listen on it."""
    with socket.socket() as kept:
        kept.bind(("127.0.0.1", 0))
        # Not before bind(): the kernel might give out a port that is kept.
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        yield kept.getsockname()[1]
