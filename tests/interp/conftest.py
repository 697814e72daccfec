"""The comparison with real runs lies beside its tests; pytest's import mode puts no folder on the path."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
