"""The abstract interpreter: runs a module on facts instead of values.

`run.analyse.analyse(module)` gives an `Analysis`: faults (contracts provably broken), roots (each function analysed for itself,
with the trace of what it does in which order), calls that rules asked for, and names with their facts.

Each package may import those named before it, and none of those after it: `store`, `model`, `checks`, `objects`, `evaluate`,
`run`.
"""
