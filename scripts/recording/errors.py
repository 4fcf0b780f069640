# SPDX-License-Identifier: MIT
"""What ends scripts/record with one line."""
from __future__ import annotations


class Refusal(Exception):
    """The user's input or this machine does not fit; the text is one line."""
