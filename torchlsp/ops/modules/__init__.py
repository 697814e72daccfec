"""Tables of torch.nn classes: what calling a layer does to its input."""
