"""Checks of the family TL1xx: shapes, strides and indices that an operator's row alone does not judge.

What one call of an operator breaks by its shapes is a fault column of its row in `torchlsp.ops`.
"""
