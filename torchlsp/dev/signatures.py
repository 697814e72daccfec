"""Writes the parameters of torch's Python functions, layers and their `forward`, as the installed torch has them.

Functions that are written in C++ have no signature to read, and what hands its arguments on (`*args, **kwargs`) says nothing.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path

from torchlsp.facts import torch_names

MODULES = (
    "torch", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils", "torch.nn.utils.rnn", "torch.nn.parallel", "torch.optim",
    "torch.optim.lr_scheduler", "torch.optim.swa_utils", "torch.utils.data", "torch.utils.checkpoint", "torch.distributed", "torch.autograd",
    "torch.amp",
)  # fmt: skip
"""The modules whose public functions and classes are written."""
_PATH = Path(torch_names.__file__).with_name("signature_table.py")


def rows() -> Iterator[tuple[str, str]]:
    """Yields full names with their parameters, in the notation of `facts/signatures.py`."""
    from torch import nn

    for module_name in MODULES:
        module = importlib.import_module(module_name)
        for name in sorted(getattr(module, "__all__", None) or dir(module)):
            found = getattr(module, name, None)
            if name.startswith("_") or not (inspect.isfunction(found) or inspect.isclass(found)):
                continue
            if not str(found.__module__).startswith("torch"):
                continue
            full = f"{module_name}.{name}"
            if inspect.isfunction(found):
                made = _parameters(found, is_method=False)
            else:
                made = _parameters(found.__init__, is_method=True) if _is_plain(found) else None
            if made is not None:
                yield full, made
            if inspect.isclass(found) and issubclass(found, nn.Module) and "forward" in _defined(found):
                made = _parameters(found.forward, is_method=True)
                if made is not None:
                    yield f"{full}.forward", made


def _is_plain(cls: type) -> bool:
    """Returns whether calling a class runs its `__init__`, a function of Python, and nothing else."""
    return cls.__new__ is object.__new__ and type(cls) is type and inspect.isfunction(cls.__init__)


def _defined(cls: type) -> set[str]:
    from torch import nn

    return {name for base in cls.__mro__ if base not in (nn.Module, object) for name in vars(base)}


def _parameters(function: object, *, is_method: bool) -> str | None:
    """Returns the parameters in order; None where they are not known, or any arguments are taken."""
    try:
        given = list(inspect.signature(function).parameters.values())  # type: ignore[arg-type]  # what is callable is only seen by asking
    except (TypeError, ValueError):
        return None
    given = given[1:] if is_method else given
    words = []
    in_order = True
    for one in given:
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            return None
        if one.kind is one.KEYWORD_ONLY and in_order:
            words.append("*")
            in_order = False
        words.append(one.name + ("" if one.default is one.empty else "?"))
    return " ".join(words)


def main(arguments: list[str]) -> int:
    """Writes the table."""
    argparse.ArgumentParser(prog="torchlsp.dev signatures", description=__doc__).parse_args(arguments)
    import torch

    head = (
        f'"""Parameters of Python functions of torch {torch.__version__.partition("+")[0]}, written by `python -m torchlsp.dev signatures`; see `signatures`.\n\n'
        'Long because it names all that can be called.\n"""\n\nTABLE = """\\\n'
    )
    text = "".join(f"{name}: {words}".rstrip() + "\n" for name, words in rows())
    _PATH.write_text(f'{head}{text}"""\n', encoding="utf-8")
    return 0
