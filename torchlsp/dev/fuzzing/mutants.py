"""Makes mutants of programs; each is made again by its number."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from torchlsp.dev.fuzzing.seeds import Seed, chosen
from torchlsp.dev.fuzzing.token_mutations import mutated_tokens
from torchlsp.dev.fuzzing.tree_mutations import Unchanged, mutated_tree

_JOINED = 0.3
"""How many mutants are made from two programs, one after the other, so that values of one come into the other."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed program, with what it was made from and how."""

    number: int
    seed: Seed
    how: str
    text: str

    def __str__(self) -> str:
        return f"mutant {self.number} of {self.seed.name} ({self.how})"


def mutant(run: int, number: int) -> Mutant:
    """Returns one mutant of a run, the same each time: two of three are changed by the tree, the others by tokens."""
    chance = Random(f"{run}:{number}")
    seed, other = chosen(chance), chosen(chance)
    if chance.random() < _JOINED:
        seed = Seed(seed.name, f"{seed.text}\n{other.text}", seed.folder)
    if number % 3:
        try:
            text, how = mutated_tree(seed.text, other.text, chance)
            if number % 9 == 1:
                text, then = mutated_tokens(text, other.text, chance)
                how = f"{how} {then}"
            return Mutant(number, seed, how, text)
        except Unchanged:
            pass
    text, how = mutated_tokens(seed.text, other.text, chance)
    return Mutant(number, seed, how, text)
