"""Counts the calls of operators and the backward passes of the running root."""

from __future__ import annotations

from collections.abc import Iterable

from torchlsp.core.records import dataclass
from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp.store.lifetimes import holder, per_root
from torchlsp.program import ir


@dataclass(frozen=True, slots=True)
class Iteration:
    """A later iteration of a loop: the moments at which the loop and the iteration began, and the tensors that the
    iteration before has left, by identity."""

    first: int
    this: int
    names: dict[int, tuple[str, bool]]
    loop: ir.Node


@holder
class Progress:
    """The progress of the running root through the program and its autograd graph.

    `clock` counts calls of operators and is the unit of moments. `backwards` counts backward passes through known graphs,
    `retained` is the moment at which a graph was last retained. `rehearsing` is the interpreter's `silent` while `iteration` is run
    for the faults that only a later iteration has, else 0. `inference` tells whether inference mode was entered anywhere.
    """

    clock: int = per_root(int)
    backwards: int = per_root(int)
    retained: int = per_root(lambda: -1)
    rehearsing: int = per_root(int)
    iteration: Iteration | None = per_root(lambda: None)
    inference: bool = per_root(bool)

    def rehearse(self, silent: int, iteration: Iteration) -> None:
        """Begins a run of an iteration for the faults that only a later iteration has."""
        self.rehearsing, self.iteration = silent, iteration

    def next_iteration(
        self, before: Iteration | None, loop: ir.Node, variables: dict[str, Value]
    ) -> Iteration:
        """Returns the next iteration of a loop that is run item by item."""
        first = self.clock if before is None else before.first
        names = names_of(variables.items()) if self.backwards and before is not None else {}
        return Iteration(first, self.clock, names, loop)


def names_of(entries: Iterable[tuple[str | tuple[str, str], object]]) -> dict[int, tuple[str, bool]]:
    """Returns, by identity of a tensor, the name that holds it, and whether it is in a tuple under that name."""
    names: dict[int, tuple[str, bool]] = {}
    for key, value in entries:
        name = key if isinstance(key, str) else f"self.{key[1]}"
        if not name.removeprefix("self.").isidentifier():
            continue
        held: tuple[object, ...] = (value,)
        if several := type(value) is v.TupleValue:
            held = value.items
        for one in held:
            if type(one) is TensorFact:
                names[id(one)] = name, several
    return names
