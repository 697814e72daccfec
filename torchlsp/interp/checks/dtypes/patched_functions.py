"""Records calls of Apex that patch the functions of torch, so that they cast what they are given.

No mismatch of dtypes is then known in any module that the program imports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.interp.checks.hooks import Hooks, for_names
from torchlsp.interp.store.lifetimes import gathered, last_wins, running_state
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_PATCHING = frozenset({"apex.amp.initialize", "apex.amp.init", "apex.amp.frontend.initialize"})
_CASTS_NOTHING = "O0"


@running_state
class PatchingFiles:
    """The paths of the files that patch the functions of torch."""

    paths: dict[str, None] = gathered(dict, last_wins)


def _record(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    given = (*arguments.positional[2:3], dict(arguments.keywords).get("opt_level"))
    if all(v.known(one, str) != _CASTS_NOTHING for one in given):
        it.states[PatchingFiles].paths[it.frame.module.path] = None


HOOKS = Hooks(external_call=for_names(_PATCHING, _record))
"""`amp.initialize(model, optimizer, opt_level="O1")`: O0 casts nothing."""
