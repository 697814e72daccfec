"""Checks of the family TL9xx: names that torch has, compilation, seeds, saved files, lost time.

What a layer or an operator makes of its operands belongs into the family of that mistake.
"""
