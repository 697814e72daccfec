"""Runs a command of the user's and keeps what its functions were called with: shapes, dtypes, devices, options.

The part that runs inside of the command's own Python is in `agent`. What the facts mean for the analysis is decided in `engine`.
"""
