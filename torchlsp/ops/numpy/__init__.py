"""Defines tables of NumPy's functions and of the methods and operators of arrays."""
