"""What a run keeps: names and heap, frames, traces, joins, budgets, lifetimes of state.

`evaluator.Evaluator` is the interpreter as all packages see it. Nothing here knows a function of torch or evaluates code. What a
single check keeps belongs into the file of that check.
"""
