"""Puts what the tests of rules share on the path: pytest's import mode puts no folder there."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
