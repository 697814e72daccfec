"""Checks of the family TL4xx: the graph of tensors, grad modes, hooks, gradients that are cut off.

When gradients are cleared and used in a training loop is in `checks.training`.
"""
