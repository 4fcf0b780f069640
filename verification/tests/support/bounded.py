# SPDX-License-Identifier: MIT
"""Bounds the memory of programs of which a test starts several at once."""

import resource

MOST_BYTES = 1 << 30  # limit for a run of the smoke preset: some 600 MiB, and room for the threads' stacks


def bound_memory() -> None:
    """Limits this process and all that it starts: a larger allocation is refused, so that the process itself fails."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
