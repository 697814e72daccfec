"""Tables of NumPy's functions and of the methods of arrays."""
