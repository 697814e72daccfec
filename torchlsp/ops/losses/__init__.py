"""Defines tables of loss functions, with the faults of their arguments."""
