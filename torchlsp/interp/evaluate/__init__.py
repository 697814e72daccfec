"""Evaluates the nodes of the IR: statements, expressions, calls, conditions and loops.

What a value does once it is evaluated belongs into `objects`, the search for a mistake into `checks`.
"""
