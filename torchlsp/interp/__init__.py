"""The abstract interpreter.

`interpreter.analyse(module)` runs a lowered module on facts and gives an `Analysis`: faults (contracts provably broken), roots
(each function analysed for itself, with the trace of what it does in which order), calls that rules asked for, and names with
their facts.  `protocol` reads training loops off traces, `ranks` compares what different ranks do.
"""
