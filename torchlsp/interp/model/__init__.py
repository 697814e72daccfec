"""Questions about what the store holds: classes, module trees, liveness, dataflow over traces.

Nothing here evaluates an expression or runs a function, and nothing looks for one particular mistake: that is in `checks`.
"""
