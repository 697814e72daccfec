"""Parses text: `ast` for the analysis, libCST for single statements, comments, notebooks, edits.

What a program means belongs to `program` and `interp`.
"""
