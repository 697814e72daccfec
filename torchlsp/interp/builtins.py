"""Names that Python itself binds."""

import builtins

NAMES = frozenset(name for name in dir(builtins) if not name.startswith("_")) | {"__name__", "__file__"}
