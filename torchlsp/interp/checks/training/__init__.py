"""Checks of the family TL5xx: order of backward, clip, step and clear; schedulers, scalers, modes.

Most read traces after the run. What optimizers and schedulers are as objects is in `interp.objects`.
"""
