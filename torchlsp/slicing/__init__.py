"""Cuts the user's own statements that lead to a finding out of a program, so that they can be run."""
