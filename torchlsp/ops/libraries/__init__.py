"""Defines tables of torch.optim, torch.distributed and datasets, and of libraries beside torch."""
