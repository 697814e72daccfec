"""Checks of the family TL3xx: devices, NumPy, and memory that is shared, pinned or uninitialised.

Operands on different devices are a fault of the operator's row.
"""
