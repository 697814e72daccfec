"""Names the types of decoded JSON and TOML."""

from __future__ import annotations

from typing import Any

Decoded = Any  # what json.loads and tomllib.loads return; whoever reads it checks its form
Table = dict[str, Decoded]
"""A JSON object or a TOML table."""
