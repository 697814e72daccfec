"""Declares what the interpreter knows of a library other than torch: its functions and classes, and its objects' methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import NotImplementedType

    from torchlsp.facts import values as v
    from torchlsp.facts.values import Value
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.ops.signature import Arguments
    from torchlsp.program import ir


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A package whose calls are evaluated. Its file ends with one, and stands in the list of `objects.libraries`."""

    package: str
    """The first part of its dotted names: `einops`."""
    call: Callable[[Evaluator, str, Arguments, ir.Node], Value | NotImplementedType]
    """Evaluates a call of a function or class: (it, dotted name, arguments, node); NotImplemented where it is not known."""
    methods: Mapping[str, Callable[[Evaluator, v.Engine, str, Arguments, ir.Node], Value]] = field(
        default_factory=dict
    )
    """By the dotted name of a class: evaluates a method of its objects, which `call` has created as `v.Engine(ref, dotted
    name)`: (it, object, method, arguments, node)."""
