"""TL8: distributed training."""
