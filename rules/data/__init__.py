"""TL7: data loading."""
