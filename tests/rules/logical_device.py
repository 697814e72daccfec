"""A CUDA device without a GPU: real CPU tensors, and a device remembered for every storage.

Kernels, values and autograd are real; only the questions about devices are answered from the tags. Enough for
the pages: moving tensors and modules, factories with `device=`, NumPy conversion, and mixed operands.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

Tensor = torch.Tensor
CPU = torch.device("cpu")
MIXED = "Expected all tensors to be on the same device, but found at least two devices, {} and {}!"
NOT_HOST = (
    "can't convert {} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
)

# Their operands may live on several devices: a copy, an index, an assignment.
MAY_MIX = {
    "copy_",
    "__get__",
    "__set__",
    "__getitem__",
    "__setitem__",
    "set_",
    "backward",
    "register_hook",
    "type_as",
}
MAY_MIX |= {"_has_compatible_shallow_copy_type", "is_same_size", "__repr__", "load_state_dict"}


def normal(device: object) -> torch.device:
    found = torch.device("cuda", device) if isinstance(device, int) else torch.device(device)
    return torch.device("cuda", 0) if found.type == "cuda" and found.index is None else found


class LogicalDevice(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.tags: dict[int, torch.device] = {}
        self.alive: list[object] = []  # a storage that died would give its address to the next one

    def device_of(self, tensor: Tensor) -> torch.device:
        with torch._C.DisableTorchFunction():
            return self.tags.get(tensor.untyped_storage()._cdata, CPU)

    def tagged(self, tensor: Tensor, device: torch.device) -> Tensor:
        with torch._C.DisableTorchFunction():
            storage = tensor.untyped_storage()
            self.alive.append(storage)
            self.tags[storage._cdata] = device
        return tensor

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if func in ANSWERS:
            return ANSWERS[func](self.device_of(args[0]))
        if func in (Tensor.numpy, Tensor.__array__) and not kwargs.get("force"):
            if (device := self.device_of(args[0])) != CPU:
                raise TypeError(NOT_HOST.format(device))
            return func(*args, **kwargs)
        if func is Tensor.cpu:
            return self.moved(args[0], CPU)
        if func is Tensor.cuda:
            return self.moved(args[0], normal((*args[1:], kwargs.get("device"), "cuda")[0] or "cuda"))
        if func is Tensor.to:
            return self.converted(*args, **kwargs)
        if func is Tensor.pin_memory:
            return args[0]
        target = normal(kwargs["device"]) if kwargs.get("device") is not None else None
        if target is not None:
            kwargs["device"] = CPU
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        device = target or self.common(func, tensors)
        result = func(*args, **kwargs)
        if device != CPU:
            for leaf in tree_leaves(result):
                if isinstance(leaf, Tensor):
                    self.tagged(leaf, device)
        return result

    def common(self, func: object, tensors: list[Tensor]) -> torch.device:
        if not tensors:
            return CPU
        if getattr(func, "__name__", "") in MAY_MIX:
            return self.device_of(tensors[0])
        devices = {self.device_of(t): t for t in sorted(tensors, key=lambda t: t.dim() > 0)}
        whole = {device for device, t in devices.items() if t.dim() > 0 or device != CPU}
        if len(whole) > 1:
            raise RuntimeError(MIXED.format(*sorted(map(str, whole), reverse=True)))
        return next(iter(whole), CPU)

    def moved(self, tensor: Tensor, device: torch.device) -> Tensor:
        return tensor if self.device_of(tensor) == device else self.tagged(tensor.clone(), device)

    def converted(
        self, tensor: Tensor, *rest: object, device=None, dtype=None, copy=False, **ignored: object
    ):
        for word in rest:
            if isinstance(word, Tensor):
                device, dtype = self.device_of(word), word.dtype
            elif isinstance(word, torch.dtype):
                dtype = word
            elif isinstance(word, str | torch.device | int) and not isinstance(word, bool):
                device = word
        target = self.device_of(tensor) if device is None else normal(device)
        layout = {"memory_format": ignored["memory_format"]} if "memory_format" in ignored else {}
        result = Tensor.to(tensor, dtype or tensor.dtype, copy=copy, **layout)
        if result is tensor:
            return self.moved(tensor, target)
        return self.tagged(result, target)


ANSWERS = {
    Tensor.device.__get__: lambda device: device,
    Tensor.is_cuda.__get__: lambda device: device.type == "cuda",
    Tensor.is_cpu.__get__: lambda device: device.type == "cpu",
    Tensor.get_device: lambda device: -1 if device.type == "cpu" else device.index,
}


@contextmanager
def one_logical_cuda_device() -> Iterator[None]:
    """While it lasts `torch.cuda.is_available()` is true and "cuda" is a place for tensors."""
    with (
        mock.patch.object(torch.cuda, "is_available", lambda: True),
        mock.patch.object(torch.cuda, "device_count", lambda: 1),
        LogicalDevice(),
    ):
        yield
