"""Counts the moments at which operators run, and what the analysis has gone through of the autograd graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.interp.store.lifetimes import holder, per_root
from torchlsp.program import ir


@dataclass(frozen=True, slots=True)
class Iteration:
    """A later iteration of a loop: when the loop began and when the iteration did, and the tensors that the one before
    has left, by identity."""

    first: int
    this: int
    names: dict[int, tuple[str, bool]]
    loop: ir.Node


@holder
class Progress:
    """How far the running root has come.

    `clock` counts calls of operators: the moment at which one runs. `backwards` counts backward passes through known graphs,
    `retained` is when a graph was last retained. `rehearsing` is what the interpreter's `silent` is while `iteration` is run for
    faults that only a later iteration has, else 0. `inference`: has inference mode been entered anywhere?
    """

    clock: int = per_root(int)
    backwards: int = per_root(int)
    retained: int = per_root(lambda: -1)
    rehearsing: int = per_root(int)
    iteration: Iteration | None = per_root(lambda: None)
    inference: bool = per_root(bool)

    def rehearse(self, silent: int, iteration: Iteration) -> None:
        self.rehearsing, self.iteration = silent, iteration

    def next_iteration(self, before: Iteration | None, loop: ir.Node, variables: dict) -> Iteration:
        """The next iteration of a loop that is run item by item."""
        first = self.clock if before is None else before.first
        names = names_of(variables.items()) if self.backwards and before is not None else {}
        return Iteration(first, self.clock, names, loop)


def names_of(entries: Iterable[tuple[object, object]]) -> dict[int, tuple[str, bool]]:
    """The names under which tensors are held, by the tensors' identity, and whether in a tuple under that name."""
    names: dict[int, tuple[str, bool]] = {}
    for key, value in entries:
        name = key if isinstance(key, str) else f"self.{key[1]}"
        if not name.removeprefix("self.").isidentifier():
            continue
        several = type(value) is v.TupleValue
        for one in value.items if several else (value,):
            if type(one) is TensorFact:
                names[id(one)] = name, several
    return names
