"""The lattice: what is known of a value, and what joining, widening and comparing two such facts gives.

Everything here is immutable, hashable and compares without provenance.  A predicate on facts answers `Tri`.
"""
