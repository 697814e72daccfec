"""Runs a file: the interpreter, its roots, their isolation, incremental analysis, recording.

`analyse.analyse` is the entry. What one statement or expression means belongs into `evaluate`.
"""
