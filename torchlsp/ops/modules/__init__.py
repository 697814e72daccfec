"""Defines tables of the layers of torch.nn: what creating and calling one does."""
