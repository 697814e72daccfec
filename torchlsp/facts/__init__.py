"""Defines the lattice of facts, and how two facts are joined, widened and compared.

Everything here is immutable and hashable, and compares without the place it comes from. A predicate on facts answers `Tri`.
What an operator does to facts is in `ops`.
"""
