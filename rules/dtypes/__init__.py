"""TL2: dtypes and what losses expect."""
