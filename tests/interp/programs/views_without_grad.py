"""A view made without gradients asks its base, which is not always the tensor that it is a view of."""

import torch

plain = torch.ones(4, 4)
plain.requires_grad_()
turned = torch.ones(4, 4).t()
turned.requires_grad_()
computed = plain * 2
with torch.no_grad():
    row_of_plain = plain[0]
    row_of_turned = turned[0]
    row_of_computed = computed[0]
    leaf = plain.t()
    row_of_leaf = leaf[0]
