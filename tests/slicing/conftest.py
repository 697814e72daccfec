"""Puts the folder of these tests in sight: they share programs and what runs them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
