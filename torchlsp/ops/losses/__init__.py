"""Tables of loss functions, with the faults of what they are given."""
