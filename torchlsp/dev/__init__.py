"""Holds commands for developers of torchlsp: `python -m torchlsp.dev NAME` calls `main` of the file of that
name.

Nothing that a user runs imports from here.
"""
