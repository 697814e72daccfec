"""Compares what the analysis claims of expressions with what a run of the program shows."""
