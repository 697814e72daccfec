"""Checks of the family TL2xx: dtypes, truth values and precedence, and how losses are constructed.

What a loss does not take in its call is in its row (`torchlsp.ops.losses`).
"""
