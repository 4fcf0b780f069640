# SPDX-License-Identifier: MIT
"""Bounds the memory of programs that a test starts several of at once."""

import resource

MOST_BYTES = 1 << 30  # what a run of the smoke preset may take: some 600 MiB, and room for the threads' stacks


def bound_memory() -> None:
    """For this process and all that it starts: what asks for more is refused, and so fails by itself."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
