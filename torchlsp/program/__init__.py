"""Defines the intermediate representation (IR) of a file, and lowers `ast` to it.

What a node means when it is run belongs to `interp.evaluate`.
"""
