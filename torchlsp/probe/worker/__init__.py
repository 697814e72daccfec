"""Holds the part of the probe that runs under the user's Python.

Files are in the syntax of Python 3.8 and import nothing of torchlsp outside of this folder.
"""
