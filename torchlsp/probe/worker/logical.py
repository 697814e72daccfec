"""Emulates a CUDA device without a GPU: CPU tensors, with a device remembered for each storage.

Kernels, values and autograd are real; only questions about devices are answered from the tags, and refusals that
come from them are in our words: evidence "emulated". A tag sits on the storage, so views, parameters and `.data`
share it.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

import torch
from torch.overrides import TorchFunctionMode

Tensor = torch.Tensor
CPU = torch.device("cpu")
MIXED = "Expected all tensors to be on the same device, but found at least two devices, {} and {}!"
NOT_HOST = (
    "can't convert {} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
)
INDEX_ELSEWHERE = "indices should be either on cpu or on the same device as the indexed tensor ({})"
LENGTHS_ELSEWHERE = "'lengths' argument should be a 1D CPU int64 tensor, but got 1D {} {} tensor"
GRAD_ELSEWHERE = "attribute 'grad' of a tensor on {} was assigned a gradient on {}"
FORKED = "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start method"
NOT_PINNED = "cannot pin a tensor on {}, only dense CPU tensors can be pinned"

# Their operands may live on several devices; the result is where the first one is.
MAY_MIX = {
    "__get__",
    "__repr__",
    "__set__",
    "_has_compatible_shallow_copy_type",
    "backward",
    "copy_",
    "ctc_loss",
    "is_same_size",
    "load_state_dict",
    "new_tensor",
    "register_hook",
    "set_",
}
# Elementwise kernels take a CPU tensor without dimensions as a number; these do not.
TAKE_NO_NUMBERS = {"cat", "column_stack", "concat", "concatenate", "dstack", "hstack", "stack", "vstack"}
RECURRENT = {"lstm", "gru", "rnn_tanh", "rnn_relu"}
# What asks for CUDA itself, and an innocent answer for one device.
CUDA_ANSWERS = {
    "is_available": lambda: True,
    "device_count": lambda: 1,
    "current_device": lambda: 0,
    "set_device": lambda device: None,
    "synchronize": lambda device=None: None,
    "empty_cache": lambda: None,
}


class Unsupported(BaseException):
    """The emulation cannot say what a GPU would do."""


def normal(device):
    found = torch.device("cuda", device) if isinstance(device, int) else torch.device(device)
    return torch.device("cuda", 0) if found.type == "cuda" and found.index is None else found


def is_emulated(device):
    return device.type in ("cpu", "cuda")


def tensors_in(value):
    """Yields the tensors in nested lists, tuples and dicts, in order."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from tensors_in(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from tensors_in(one)


def names_places(index):
    """Returns whether part of an index is a list of positions (list, array, tensor or mask), not a number or
    slice."""
    if isinstance(index, Tensor):
        return index.dim() > 0 or index.dtype is torch.bool
    return isinstance(index, list) or hasattr(index, "__array_interface__")


class LogicalDevice(TorchFunctionMode):
    """Emulates CUDA devices in a torch function mode; `tags` may be shared by the modes of several threads."""

    def __init__(self, tags=None):
        super().__init__()
        # By the address of a storage, which is kept: a later one could get the address of one that died.
        self.tags = {} if tags is None else tags
        # CUDA has been used in this process: those that are forked from it cannot.
        self.process = os.getpid()

    def device_of(self, tensor):
        if tensor.device.type != "cpu" or tensor.layout is not torch.strided:
            return tensor.device
        tag = self.tags.get(tensor.untyped_storage()._cdata)
        return CPU if tag is None else tag[1]

    def tagged(self, tensor, device):
        if device == CPU or tensor.device.type != "cpu":
            return tensor
        if os.getpid() != self.process:
            raise RuntimeError(FORKED)
        if tensor.layout is not torch.strided:
            raise Unsupported("sparse tensors on an emulated device")
        storage = tensor.untyped_storage()
        self.tags[storage._cdata] = storage, device
        return tensor

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if func in ANSWERS:
            return ANSWERS[func](self.device_of(args[0]))
        special = SPECIAL.get(func) or SPECIAL_BY_NAME.get(getattr(func, "__name__", ""))
        if special is not None:
            return special(self, func, args, kwargs)
        return self.called(func, args, kwargs)

    def called(self, func, args, kwargs):
        """Applies the general rule: operands agree, factories obey `device`, results are on the operands'
        device."""
        target = normal(kwargs["device"]) if kwargs.get("device") is not None else None
        if target is not None:
            if not is_emulated(target):
                return func(*args, **kwargs)
            kwargs["device"] = CPU
        device = target or self.common(func, list(tensors_in((args, kwargs))))
        result = func(*args, **kwargs)
        for tensor in tensors_in(result):
            self.tagged(tensor, device)
        return result

    def common(self, func, tensors):
        if not tensors:
            return CPU
        name = getattr(func, "__name__", "")
        if name in MAY_MIX:
            return self.device_of(tensors[0])
        numbers = name not in TAKE_NO_NUMBERS
        devices = [
            device
            for tensor, device in ((tensor, self.device_of(tensor)) for tensor in tensors)
            if not (numbers and tensor.dim() == 0 and device == CPU)
        ]
        # Between numbers on several devices the GPU's wins.
        self.agree(devices)
        return devices[0] if devices else CPU

    def agree(self, devices):
        different = sorted({str(device) for device in devices}, reverse=True)
        if len(different) > 1:
            raise RuntimeError(MIXED.format(different[0], different[1]))

    def moved(self, tensor, device):
        if self.device_of(tensor) == device:
            return tensor
        return self.tagged(tensor.clone(), device) if is_emulated(device) else tensor.to(device)

    def numpy(self, func, args, kwargs):
        device = self.device_of(args[0])
        if device.type == "cuda" and not (kwargs.get("force") or True in args[1:]):
            raise TypeError(NOT_HOST.format(device))
        return func(*args, **kwargs)

    def cpu(self, func, args, kwargs):
        return self.moved(args[0], CPU)

    def cuda(self, func, args, kwargs):
        device = args[1] if len(args) > 1 else kwargs.get("device")
        return self.moved(args[0], normal("cuda" if device is None else device))

    def to(self, func, args, kwargs):
        """Applies `Tensor.to` in its three forms: a dtype, a device (and a dtype), another tensor."""
        tensor, words = args[0], list(args[1:])
        device, dtype = kwargs.pop("device", None), kwargs.pop("dtype", None)
        other = kwargs.pop("other", None)
        flags = [word for word in words if isinstance(word, bool)]
        for word in [word for word in words if not isinstance(word, bool)] + [other]:
            if isinstance(word, Tensor):
                device, dtype = self.device_of(word), word.dtype
            elif isinstance(word, torch.dtype):
                dtype = word
            elif isinstance(word, (str, torch.device, int)):
                device = word
        target = self.device_of(tensor) if device is None else normal(device)
        if not is_emulated(target):
            return tensor.to(device=target, dtype=dtype)
        copy = kwargs.get("copy", len(flags) > 1 and flags[1])
        layout = {"memory_format": kwargs["memory_format"]} if "memory_format" in kwargs else {}
        result = tensor.to(dtype or tensor.dtype, copy=copy, **layout)
        return self.moved(tensor, target) if result is tensor else self.tagged(result, target)

    def type_as(self, func, args, kwargs):
        return self.to(func, args, kwargs)

    def pin_memory(self, func, args, kwargs):
        device = self.device_of(args[0])
        if device != CPU:
            raise RuntimeError(NOT_PINNED.format(device))
        return args[0]

    def converted(self, func, args, kwargs):
        """Applies `as_tensor` and `asarray`, which return their argument itself when nothing has to change."""
        device = kwargs.pop("device", None)
        result = func(*args, **kwargs)
        if device is None:
            return result
        return self.moved(result, normal(device))

    def check_index(self, tensor, index):
        """Checks devices of indices: they may be on the CPU. An integer without dimensions is read as a
        number, wherever it is."""
        device = self.device_of(tensor)
        for one in tensors_in(index):
            is_number = one.dim() == 0 and one.dtype is not torch.bool
            if not is_number and self.device_of(one) not in (CPU, device):
                raise RuntimeError(INDEX_ELSEWHERE.format(device.type))

    def get_item(self, func, args, kwargs):
        self.check_index(args[0], args[1])
        return self.tagged(func(*args, **kwargs), self.device_of(args[0]))

    def set_item(self, func, args, kwargs):
        """Checks an assignment: to a slice it copies from any device. To positions from a tensor or a list it
        does not."""
        tensor, index, value = args
        self.check_index(tensor, index)
        parts = index if isinstance(index, tuple) else (index,)
        if any(map(names_places, parts)) and isinstance(value, Tensor) and value.dim():
            self.agree([self.device_of(tensor), self.device_of(value)])
        return func(*args, **kwargs)

    def set_grad(self, func, args, kwargs):
        if isinstance(args[1], Tensor):
            devices = self.device_of(args[0]), self.device_of(args[1])
            if devices[0] != devices[1]:
                raise RuntimeError(GRAD_ELSEWHERE.format(*devices))
        return func(*args, **kwargs)

    def pack(self, func, args, kwargs):
        """Packs sequences, whose lengths and batch sizes stay on the CPU."""
        data, lengths = args[0], args[1]
        if isinstance(lengths, Tensor) and self.device_of(lengths) != CPU:
            kind = str(lengths.dtype).rpartition(".")[2]
            raise RuntimeError(LENGTHS_ELSEWHERE.format(self.device_of(lengths), kind))
        packed, sizes = func(*args, **kwargs)
        return self.tagged(packed, self.device_of(data)), sizes

    def unpack(self, func, args, kwargs):
        padded, lengths = func(*args, **kwargs)
        return self.tagged(padded, self.device_of(args[0])), lengths

    def recurrent(self, func, args, kwargs):
        """Calls a recurrent layer; with a packed sequence the second argument is the sizes of the batches."""
        is_packed = isinstance(args[1], Tensor) and args[1].dtype is torch.int64
        checked = args[:1] + args[2:] if is_packed else args
        device = self.common(func, list(tensors_in(checked)))
        result = func(*args, **kwargs)
        for tensor in tensors_in(result):
            self.tagged(tensor, device)
        return result


ANSWERS = {
    Tensor.device.__get__: lambda device: device,
    Tensor.is_cuda.__get__: lambda device: device.type == "cuda",
    Tensor.is_cpu.__get__: lambda device: device.type == "cpu",
    Tensor.get_device: lambda device: -1 if device.type == "cpu" else device.index,
}
SPECIAL = {
    Tensor.numpy: LogicalDevice.numpy,
    Tensor.__array__: LogicalDevice.numpy,
    Tensor.cpu: LogicalDevice.cpu,
    Tensor.cuda: LogicalDevice.cuda,
    Tensor.to: LogicalDevice.to,
    Tensor.type_as: LogicalDevice.type_as,
    Tensor.pin_memory: LogicalDevice.pin_memory,
    Tensor.grad.__set__: LogicalDevice.set_grad,
    torch.as_tensor: LogicalDevice.converted,
    torch.asarray: LogicalDevice.converted,
}
SPECIAL_BY_NAME = {
    "__getitem__": LogicalDevice.get_item,
    "__setitem__": LogicalDevice.set_item,
    "_pack_padded_sequence": LogicalDevice.pack,
    "_pad_packed_sequence": LogicalDevice.unpack,
}
for _name in RECURRENT:
    SPECIAL_BY_NAME[_name] = LogicalDevice.recurrent


@contextmanager
def one_logical_cuda_device():
    """Emulates a CUDA device in this thread: `torch.cuda.is_available()` is true, tensors can be on "cuda"."""
    kept = {name: getattr(torch.cuda, name) for name in CUDA_ANSWERS}
    flatten = torch.nn.RNNBase.flatten_parameters
    for name, answer in CUDA_ANSWERS.items():
        setattr(torch.cuda, name, answer)
    # Only a matter of layout for cuDNN; with CUDA built in, it asks the driver.
    torch.nn.RNNBase.flatten_parameters = lambda self: None
    try:
        with LogicalDevice():
            yield
    finally:
        for name, value in kept.items():
            setattr(torch.cuda, name, value)
        torch.nn.RNNBase.flatten_parameters = flatten
