"""Starts the worker with a gate that lets everything through, so that a test meets the lock itself."""

import runpy
import sys
import types

gate = types.ModuleType("gate")
gate.refusal = lambda source, missing: None
sys.modules["gate"] = gate
runpy.run_path(sys.argv.pop(1), run_name="__main__")
