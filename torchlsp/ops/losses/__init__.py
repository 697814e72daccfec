"""Tables of loss functions, and the checks of what they are given."""
