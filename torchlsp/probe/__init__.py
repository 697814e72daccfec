"""Runs small programs under the user's torch, in a locked process, and reads verdicts off them.

The programs are written by `lint.reproducers`. The code that is checked is never run.
"""
