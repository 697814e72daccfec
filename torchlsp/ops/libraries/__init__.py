"""Tables of torch.optim, torch.distributed, datasets and of libraries beside torch."""
