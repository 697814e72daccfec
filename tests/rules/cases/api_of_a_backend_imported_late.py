"""Names that a package for another device adds to torch, which only a method imports."""

import torch


class Device:
    def __init__(self):
        import intel_extension_for_pytorch  # noqa: F401

        torch.zeros(2, 3) @ torch.zeros(2, 3)  # expect: TL105

    def generator(self):
        return torch.xpu.Generator()
