"""Detects what a program has left changed in torch, for workers that cannot give each program a fork of its own.

Such a worker must be replaced. The check sees what a program that the gate lets in could reach: names of torch's modules and
classes, the code of its functions, its tables of hooks and registrations, and its settings. It is no wall: a program that can
write to any memory can deceive it, and where no fork is there is no lock either.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import threading
import types
import warnings

import torch

_OWN = frozenset("builtins execute gate leftovers logical math missing names ranks results warnings".split())
# What goes on with every use: a counter, and warnings that were given.
_GO_ON = ("next_id", "__warningregistry__")


class Leftovers:
    """Remembers the state of torch when it was made, and all objects in it, so that no other gets the address of one."""

    def __init__(self):
        self._tables = []  # (name, a live view of names and what they stand for, their ids)
        self._lists = []
        self._functions = []
        self._bases = []
        self._kept = []
        self._seen = set()
        for name, module in list(sys.modules.items()):
            if type(module) is types.ModuleType or name == "torch":
                if _is_watched(name):
                    self._add_table(name, vars(module))
                    for key, value in list(vars(module).items()):
                        self._add(name + "." + key, value)
        self._modules = _ids(sys.modules)
        self._settings = _settings()
        gc.collect()
        gc.freeze()  # what is there now need not be looked at each time

    def found(self):
        # type: () -> list
        """Returns names of what is different now."""
        try:
            return self._found()
        except Exception as error:  # what was replaced may be what is asked
            return [f"{type(error).__name__}: {error}"]

    def _found(self):
        # type: () -> list
        gc.collect()  # what only circles of references keep is not left
        changed = [name for name, table, ids in self._tables if _ids(table) != ids]
        changed += [name for name, one, ids in self._lists if list(map(id, one)) != ids]
        changed += [
            name
            for name, one, code, defaults, named in self._functions
            if one.__code__ is not code or one.__defaults__ is not defaults or one.__kwdefaults__ is not named
        ]
        changed += [name for name, one, bases in self._bases if one.__bases__ != bases]
        if _ids(sys.modules) != self._modules:
            changed.append("modules")
        if _settings() != self._settings:
            changed.append("settings")
        return changed

    def _add_table(self, name, table):
        self._kept.append(dict(table))
        self._tables.append((name, table, _ids(table)))

    def _add(self, name, value):
        """Adds what a name of a module stands for: a class with its functions, a function, or a table."""
        kind = type(value)  # `isinstance` would ask the value, which may warn
        if id(value) in self._seen:
            return
        self._seen.add(id(value))
        self._kept.append(value)
        if kind is types.FunctionType:
            self._functions.append((name, value, value.__code__, value.__defaults__, value.__kwdefaults__))
        elif issubclass(kind, type):
            if _is_watched(str(value.__module__)):
                self._add_table(name, vars(value))
                self._bases.append((name, value, value.__bases__))
                for key, one in list(vars(value).items()):
                    one = getattr(one, "__func__", one) if type(one) in (staticmethod, classmethod) else one
                    if type(one) in (types.FunctionType, dict, list, set):
                        self._add(name + "." + key, one)
        elif issubclass(kind, dict) and not name.endswith(("__warningregistry__", "__builtins__")):
            self._add_table(name, value)
        elif issubclass(kind, (list, set)):
            self._kept.append(list(value))
            self._lists.append((name, value, list(map(id, value))))


def _is_watched(module):
    # type: (str) -> bool
    return module.partition(".")[0] == "torch" or module in _OWN


def _ids(table):
    # type: (object) -> list
    """Returns the names in a table, and the ids of what they stand for."""
    names, values = list(table), list(map(id, table.values()))
    for name in _GO_ON:
        if name in table:
            place = names.index(name)
            del names[place], values[place]
    return names + values


def _settings():
    # type: () -> list
    """Returns what torch and Python keep elsewhere than in names."""
    asked = [getattr(torch, name, None) for name in _QUESTIONS]
    return [
        *[ask() for ask in asked if ask is not None],
        torch.backends.cudnn.enabled,
        torch.backends.cudnn.benchmark,
        torch.backends.cudnn.deterministic,
        torch.backends.mkldnn.is_available() and getattr(torch.backends.mkldnn, "enabled", None),
        [getattr(torch._C, name)() for name in _INNER_QUESTIONS if hasattr(torch._C, name)],
        torch.tensor(1e-39).mul(1).item() == 0,
        _hooks_of_saved_tensors(),
        dict(os.environ),
        list(map(str, warnings.filters)),
        threading.active_count(),
        sys.getrecursionlimit(),
        gc.isenabled(),
        list(sys.path),
        sys.gettrace(),
        sys.getprofile(),
        random.getstate(),
    ]


def _hooks_of_saved_tensors():
    ask = getattr(torch._C._autograd, "_top_saved_tensors_default_hooks", None)
    return ask and ask(True)


_QUESTIONS = (
    "get_default_dtype get_default_device are_deterministic_algorithms_enabled get_num_threads get_num_interop_threads "
    "is_deterministic_algorithms_warn_only_enabled get_float32_matmul_precision is_grad_enabled is_inference_mode_enabled "
    "is_anomaly_enabled is_anomaly_check_nan_enabled is_autocast_enabled is_autocast_cpu_enabled get_autocast_cpu_dtype "
    "is_autocast_cache_enabled"
).split()
_INNER_QUESTIONS = (
    "_len_torch_function_stack _len_torch_dispatch_stack _is_torch_function_enabled _dispatch_get_all_op_names "
    "_get_cpu_allow_fp16_bf16_reduction_mathSDP _get_flash_sdp_enabled _get_math_sdp_enabled"
).split()
