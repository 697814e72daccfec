"""Names that a package for another device adds to torch."""

import torch

try:
    import intel_extension_for_pytorch as ipex
except ImportError:
    ipex = None


def copy(keys, values, mapping):
    torch.xpu.copy_blocks(keys, values, mapping)
    torch.zeros(2, 3) @ torch.zeros(2, 3)  # expect: TL105
