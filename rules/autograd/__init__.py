"""TL4: autograd."""
