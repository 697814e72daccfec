"""TL6: nn.Module."""
