"""TL5: the training loop."""
