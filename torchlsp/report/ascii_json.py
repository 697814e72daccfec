"""Writes JSON in ASCII, which every terminal, pipe and reader accepts."""

from __future__ import annotations

import json
import re
from typing import Any

# What is no half of a surrogate pair: an escaped backslash is consumed so that what follows is not misread.
_HALF = re.compile(r"(\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|\\ud[89a-f][0-9a-f]{2}")


def dumps(value: Any) -> str:
    """Writes a value as ASCII JSON, whatever the encoding of the output is. Half a surrogate pair, as in the
    name of a file that does not fit the file system's encoding, becomes U+FFFD: strict readers would refuse
    the whole document."""
    return _HALF.sub(lambda found: found[1] or r"\ufffd", json.dumps(value, indent=2))
