"""Runs small programs under the user's torch, in a sandboxed process, and derives verdicts from them.

The programs are written by `lint.reproducers`. The code that is checked is never run.
"""
