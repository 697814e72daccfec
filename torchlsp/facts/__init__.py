"""The lattice: what is known of a value, and what joining, widening and comparing two facts gives.

Everything here is immutable and hashable, and compares without the place it comes from. A predicate on facts answers `Tri`.
What an operator does to facts is in `ops`.
"""
