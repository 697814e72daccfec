"""Describes values by their types and sizes, without running any code that a class of the program could override.

Attributes are read by the descriptors of the base classes, and torch's by those of its C classes while its overrides are
switched off. Nothing here computes with a tensor, copies it or waits for a device.
"""

import collections
import itertools
import re
import sys
import types

MAX_DEPTH = 3
MAX_ITEMS = 8
MAX_TUPLE = 24
MAX_KEYS = 16
MAX_NODES = 150

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,23}")
_PATH = re.compile(r"[\w.<>\[\], -]{1,200}")
_SECRET = re.compile(r"passw|secret|token|api_?key|credential|private", re.IGNORECASE)
# Kinds of values.
_INT, _BOOL, _FLOAT, _NONE, _STR, _TUPLE, _LIST, _DICT = range(8)
_TENSOR, _ARRAY, _DTYPE, _DEVICE, _MODULE, _CLASS, _FUNCTION, _OBJECT = range(8, 16)
_EXACT = {
    id(int): _INT,
    id(bool): _BOOL,
    id(float): _FLOAT,
    id(type(None)): _NONE,
    id(str): _STR,
    id(tuple): _TUPLE,
    id(list): _LIST,
    id(dict): _DICT,
    id(types.FunctionType): _FUNCTION,
    id(types.BuiltinFunctionType): _OBJECT,
    id(type): _CLASS,
}
_ARRAY_KINDS = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}
_mro_of = type.__dict__["__mro__"].__get__
_name_of = type.__dict__["__qualname__"].__get__
_module_of = type.__dict__["__module__"].__get__
_names_of = type.__dict__["__dict__"].__get__
_own = object.__getattribute__


def class_path(cls):
    """Returns `module.Class` of a class without asking its metaclass."""
    try:
        module, name = _module_of(cls), _name_of(cls)
    except (AttributeError, TypeError):
        return "?"
    if type(module) is not str or type(name) is not str:
        return "?"
    path = module + "." + name
    return path if _PATH.fullmatch(path) else "?"


def is_word(text):
    """Says whether a text looks like the name of an option: short, an identifier, and no number in disguise."""
    return _WORD.fullmatch(text) is not None and sum([one.isdigit() for one in text]) <= 4


class Kind:
    """What is known of a type: how its values are described, and how their attributes are read."""

    __slots__ = ("cls", "kind", "path", "own_dict", "exact")

    def __init__(self, cls, kind, path, own_dict, exact):
        self.cls = cls  # kept, so that its id is not given to another class
        self.kind = kind
        self.path = path
        self.own_dict = own_dict
        self.exact = exact


class Values:
    """Descriptions of values, and keys that are equal where descriptions are."""

    def __init__(self):
        self.kinds = {}
        self.torch = None
        self.numpy = None
        self.guard = None
        self.nodes = 0

    # ---- libraries -------------------------------------------------------------------------------------------------

    def find_libraries(self):
        """Looks whether the program has imported torch and NumPy meanwhile. Neither is imported here."""
        if self.numpy is None:
            numpy = _imported("numpy")
            if numpy is not None and isinstance(getattr(numpy, "ndarray", None), type):
                self.numpy = numpy
                self.kinds.clear()
                array = numpy.ndarray
                self.array_shape = array.shape.__get__
                self.array_dtype = array.dtype.__get__
                self.array_strides = array.strides.__get__
        if self.torch is None:
            torch = _imported("torch")
            if torch is not None and hasattr(torch, "nn") and hasattr(torch.nn, "Module"):
                self._bind_torch(torch)
        return self.torch is not None

    def _bind_torch(self, torch):
        native = torch._C
        base = getattr(native, "TensorBase", None) or native._TensorBase
        self.shape = base.shape.__get__
        self.dtype = base.dtype.__get__
        self.device = base.device.__get__
        self.layout = base.layout.__get__
        self.requires_grad = base.requires_grad.__get__
        self.is_leaf = base.is_leaf.__get__
        self.stride = base.stride
        self.strided = torch.strided
        self.tensor_class = torch.Tensor
        self.parameter_class = torch.nn.Parameter
        self.module_class = torch.nn.Module
        self.guard_class = native.DisableTorchFunction
        self.grad_enabled = (
            native.is_grad_enabled if hasattr(native, "is_grad_enabled") else torch.is_grad_enabled
        )
        self.inference = getattr(torch, "is_inference_mode_enabled", None)
        self.tracing = getattr(native, "_is_tracing", None) or (
            lambda: native._get_tracing_state() is not None
        )
        self.any_autocast = getattr(native, "_is_any_autocast_enabled", None)
        self.compiler = sys.modules.get("torch.compiler")
        self.functional = getattr(native, "_functorch", None)
        self.is_wrapped = getattr(self.functional, "is_functorch_wrapped_tensor", None)
        self.is_functional = getattr(torch, "_is_functional_tensor", None)
        self.get_dispatch_mode = getattr(native, "_len_torch_dispatch_stack", None)
        self.dtypes = {}
        self.torch = torch
        self.kinds.clear()

    def is_traced(self):
        """Says whether torch is compiling or tracing, when looking at a tensor would become a part of the graph."""
        if self.torch is None:
            return False
        if self.compiler is not None and getattr(self.compiler, "_is_compiling_flag", False):
            return True
        return self.tracing()

    def modes(self):
        """Returns grad mode, inference mode and autocast (dtype and device); to be called inside of `guard_class`."""
        if self.torch is None:
            return None, None, None, None
        inference = self.inference() if self.inference is not None else False
        return (self.grad_enabled(), inference, *self._autocast())

    def _autocast(self):
        torch = self.torch
        if self.any_autocast is not None and not self.any_autocast():
            return None, None
        if hasattr(torch, "get_autocast_dtype"):
            for device in ("cuda", "cpu"):
                if torch.is_autocast_enabled(device):
                    return self._dtype(torch.get_autocast_dtype(device)), device
            return None, None
        if torch.is_autocast_enabled():
            return self._dtype(torch.get_autocast_gpu_dtype()), "cuda"
        if hasattr(torch, "is_autocast_cpu_enabled") and torch.is_autocast_cpu_enabled():
            return self._dtype(torch.get_autocast_cpu_dtype()), "cpu"
        return None, None

    # ---- kinds -----------------------------------------------------------------------------------------------------

    def kind_of(self, cls):
        found = self.kinds.get(id(cls))
        if found is None:
            found = self.kinds[id(cls)] = self._kind(cls)
        return found

    def _kind(self, cls):
        exact = _EXACT.get(id(cls))
        path = class_path(cls)
        if exact is not None:
            return Kind(cls, exact, path, False, True)
        mro = _mro_of(cls)
        kind = _OBJECT
        if _has(mro, type):
            kind = _CLASS
        elif self.torch is not None and _has(mro, self.tensor_class):
            # What a class does in `__torch_dispatch__` is its own affair: even a size may be computed by it.
            plain = itertools.takewhile(lambda one: one is not self.tensor_class, mro)
            foreign = ("__torch_dispatch__", "cls_to_become")
            if not any(name in _names_of(one) for one in plain for name in foreign):
                kind = _TENSOR
        elif self.torch is not None and _has(mro, self.module_class):
            kind = _MODULE
        elif self.torch is not None and cls is self.torch.dtype:
            kind = _DTYPE
        elif self.torch is not None and cls is self.torch.device:
            kind = _DEVICE
        elif self.numpy is not None and _has(mro, self.numpy.ndarray):
            kind = _ARRAY
        elif _has(mro, tuple):
            kind = _TUPLE
        elif _has(mro, list):
            kind = _LIST
        elif _has(mro, dict):
            kind = _DICT
        is_exact = kind == _TENSOR and (cls is self.tensor_class or cls is self.parameter_class)
        is_exact = is_exact or (self.torch is not None and cls is self.torch.Size)
        return Kind(cls, kind, path, _has_usual_dict(mro), is_exact)

    # ---- keys ------------------------------------------------------------------------------------------------------

    def key(self, value, coarse=False, depth=MAX_DEPTH):
        """Returns a hashable value that is equal for values with equal descriptions, floats aside; `coarse`: ints too."""
        cls = type(value)
        kind = self.kinds.get(id(cls))
        if kind is None:
            kind = self.kind_of(cls)
        what = kind.kind
        if what == _TENSOR:
            return self._tensor_key(value, kind)
        if what == _INT or what == _BOOL:
            return (what, 0 if coarse and what == _INT else value)
        if what == _STR:
            return (what, value if len(value) < 25 else None)
        if what == _NONE or what == _FLOAT:
            return what
        if what == _TUPLE or what == _LIST:
            if depth == 0:
                return id(cls)
            get, size, most = _sequence(what, value)
            items = tuple([self.key(get(value, at), coarse, depth - 1) for at in range(min(size, most))])
            return (id(cls), size if what == _TUPLE or not coarse else 0, items)
        if what == _DICT:
            if depth == 0:
                return id(cls)
            found = []
            for name, item in dict.items(value):
                if len(found) >= MAX_KEYS:
                    break
                if type(name) is str:
                    found.append((name, self.key(item, coarse, depth - 1)))
            return (id(cls), dict.__len__(value) if not coarse else 0, tuple(found))
        if what == _ARRAY:
            dtype = self.array_dtype(value)
            return (id(cls), self.array_shape(value), dtype.kind, dtype.itemsize)
        if what in (_DTYPE, _CLASS, _FUNCTION):
            return (what, id(value))
        if what == _DEVICE:
            return (what, value.type, value.index)
        return id(cls)

    def _tensor_key(self, value, kind):
        if self._is_unreadable(value):
            return id(kind.cls)
        stride = self.stride(value) if self.layout(value) is self.strided else None
        device = self.device(value)
        return (
            id(kind.cls),
            self.shape(value),
            id(self.dtype(value)),
            device.type,
            device.index,
            stride,
            self.requires_grad(value),
            self.is_leaf(value),
        )

    def _is_unreadable(self, value):
        """Says whether a tensor stands for others: one of `vmap`, of functionalization, or a nested one."""
        if self.is_wrapped is not None and self.is_wrapped(value):
            return True
        if self.is_functional is not None and self.is_functional(value):
            return True
        return self.layout(value) is not self.strided and str(self.layout(value)) == "torch.jagged"

    # ---- descriptions ----------------------------------------------------------------------------------------------

    def describe(self, value, name=""):
        """Returns the description of a value as JSON has it; `name`: of the parameter, where it is one."""
        self.nodes = 0
        try:
            if type(value) is str and _SECRET.search(name):
                return {"o": "builtins.str"}
            return self._describe(value, MAX_DEPTH)
        except (RuntimeError, TypeError, ValueError, AttributeError, NotImplementedError):
            # A container that another thread changes, a nested tensor that has no size.
            return {"o": class_path(type(value))}

    def _describe(self, value, depth):
        self.nodes += 1
        cls = type(value)
        kind = self.kind_of(cls)
        what = kind.kind
        if what == _TENSOR:
            return self._tensor(value, kind)
        if what == _INT:
            return {"i": value} if -(2**63) <= value < 2**63 else {"o": "builtins.int"}
        if what == _BOOL:
            return {"b": value}
        if what == _FLOAT:
            return {"f": value if value - value == 0 else str(value)}
        if what == _NONE:
            return {"n": 0}
        if what == _STR:
            return {"w": value} if is_word(value) else {"o": "builtins.str"}
        if what in (_TUPLE, _LIST, _DICT):
            if depth == 0 or self.nodes > MAX_NODES:
                return {"o": kind.path}
            told = self._dict(value, depth) if what == _DICT else self._sequence(what, value, depth)
            if not kind.exact:
                told["x"] = kind.path
            return told
        if what == _ARRAY:
            return self._array(value, kind)
        if what == _DTYPE:
            return {"dt": self._dtype(value)}
        if what == _DEVICE:
            return {"dv": str(value)}
        if what == _MODULE:
            return {"m": kind.path}
        if what == _CLASS:
            return {"c": class_path(value)}
        if what == _FUNCTION:
            path = f"{value.__module__}.{value.__qualname__}"
            return {"c": path} if _PATH.fullmatch(path) else {"o": kind.path}
        return {"o": kind.path}

    def _sequence(self, what, value, depth):
        get, size, most = _sequence(what, value)
        items = [self._describe(get(value, at), depth - 1) for at in range(min(size, most))]
        told = {"T" if what == _TUPLE else "L": items}
        if what == _LIST or size > most:
            told["n"] = size
        return told

    def _dict(self, value, depth):
        items = {}
        for name, item in dict.items(value):
            if len(items) >= MAX_KEYS:
                break
            if type(name) is str and is_word(name):
                is_secret = type(item) is str and _SECRET.search(name)
                items[name] = {"o": "builtins.str"} if is_secret else self._describe(item, depth - 1)
        return {"D": items, "n": dict.__len__(value)}

    def _tensor(self, value, kind):
        if self._is_unreadable(value):
            return {"o": kind.path}
        sizes = list(self.shape(value))
        if not all(type(one) is int for one in sizes):
            return {"o": kind.path}
        name = kind.path.rpartition(".")[2] if kind.exact else kind.path
        told = {
            "t": name,
            "s": sizes,
            "d": self._dtype(self.dtype(value)),
            "v": str(self.device(value)),
            "g": self.requires_grad(value),
            "l": self.is_leaf(value),
        }
        if self.layout(value) is self.strided:
            told["st"] = list(self.stride(value))
        else:
            told["y"] = str(self.layout(value)).rpartition(".")[2]
        return told

    def _dtype(self, dtype):
        found = self.dtypes.get(id(dtype))
        if found is None:
            found = self.dtypes[id(dtype)] = str(dtype).rpartition(".")[2]
        return found

    def _array(self, value, kind):
        dtype = self.array_dtype(value)
        if dtype.kind not in "biufc":
            return {"o": kind.path}
        # Its own `name` is computed by NumPy's code in Python.
        name = _ARRAY_KINDS[dtype.kind] + (str(8 * dtype.itemsize) if dtype.kind != "b" else "")
        told = {"a": name, "s": list(self.array_shape(value))}
        strides, size = self.array_strides(value), dtype.itemsize
        if all(one % size == 0 for one in strides):
            told["st"] = [one // size for one in strides]
        return told

    # ---- objects with attributes -----------------------------------------------------------------------------------

    def attributes(self, value, names):
        """Returns those of the named attributes that stand in an object's own dictionaries; None for no such object."""
        kind = self.kind_of(type(value))
        if not kind.own_dict or kind.kind not in (_MODULE, _OBJECT):
            return None
        try:
            own = _own(value, "__dict__")
        except AttributeError:
            return None
        if type(own) is not dict:
            return None
        found = {name: own[name] for name in names if name in own}
        if kind.kind == _MODULE and len(found) < len(names):
            for place in (own.get("_modules"), own.get("_parameters"), own.get("_buffers")):
                # Other classes of dictionaries may run code of their own when they are asked.
                if type(place) is dict or type(place) is collections.OrderedDict:
                    for name in names:
                        if name in place and name not in found:
                            found[name] = place[name]
        return found


def _has(mro, cls):
    """Says whether a class is among others; by identity, since a metaclass may define what equal means."""
    return any(one is cls for one in mro)


def _sequence(what, value):
    if what == _TUPLE:
        return tuple.__getitem__, tuple.__len__(value), MAX_TUPLE
    return list.__getitem__, list.__len__(value), MAX_ITEMS


def _has_usual_dict(mro):
    """Says whether `__dict__` of an object is that of Python and not an attribute that a class has made of it."""
    for one in mro:
        found = _names_of(one).get("__dict__")
        if found is not None and type(found) is not types.GetSetDescriptorType:
            return False
    return True


def _imported(name):
    """Returns a module that is imported completely, and None otherwise."""
    module = sys.modules.get(name)
    if module is None:
        return None
    return None if getattr(getattr(module, "__spec__", None), "_initializing", False) else module
