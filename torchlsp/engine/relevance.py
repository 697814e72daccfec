"""Decides which files can hold PyTorch code: the others are parsed, not analysed."""

from __future__ import annotations

_NAMES = ("torch", "lightning", "accelerat", "deepspeed")
# A training loop that is given all that it needs names torch nowhere, but reads alike in other libraries.
_LOOPS = ("zero_grad", ".backward(")
_OTHERS = tuple("mxnet paddle mindspore jittor tinygrad chainer oneflow megengine micrograd".split())
_OWN_AUTOGRAD = "def backward("
TRIGGERS = (*_NAMES, *_LOOPS)
"""A text that contains none of these has no PyTorch code."""


def may_use_torch(text: str) -> bool:
    if any(word in text for word in _NAMES):
        return True
    return any(word in text for word in _LOOPS) and not any(
        word in text for word in (*_OTHERS, _OWN_AUTOGRAD)
    )
