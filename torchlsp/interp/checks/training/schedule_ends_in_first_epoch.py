"""Detects learning rate schedules whose length is the number of epochs and whose `step()` runs with every batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.program import ir
from torchlsp.program.reading import reads_name
from torchlsp.program.walking import dotted, walk, word

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.interp.store.frame import Frame

_MODULE = "torch.optim.lr_scheduler."
LENGTHS = {
    f"{_MODULE}CosineAnnealingLR": ("T_max", 1),
    f"{_MODULE}PolynomialLR": ("total_iters", 1),
    f"{_MODULE}OneCycleLR": ("total_steps", 2),
    "transformers.get_linear_schedule_with_warmup": ("num_training_steps", 2),
    "transformers.get_cosine_schedule_with_warmup": ("num_training_steps", 2),
}
"""The argument that says how many steps a schedule has, and its place."""
_BY_FUNCTION = f"{_MODULE}LambdaLR"
_DATA = ("load", "batch", "data", "dl")
_RANGES = frozenset({"range", "trange"})

_Length = tuple[str, Origin, str]
"""The length as written, where it is given, and where a name means the same."""


@running_state
class ScheduleLengths:
    """What the schedules of the running root have as their length, by their refs."""

    lengths: dict[str, _Length] = per_root(dict)


def record_length(it: Evaluator, ref: str, name: str, node: ir.Node) -> None:
    """Records the length of a new schedule, if it is a number or a name."""
    if name not in LENGTHS and name != _BY_FUNCTION or type(node) is not ir.Call:
        return
    keyword, place = LENGTHS.get(name, ("lr_lambda", 1))
    given = dict(node.keywords).get(keyword)
    if given is None and len(node.args) > place and not any(type(one) is ir.Starred for one in node.args):
        given = node.args[place]
    if name == _BY_FUNCTION:
        given = _end_of_decay(given)
    text = None if given is None else _written(given)
    if given is not None and text is not None:
        made = Origin(given.start, given.end, name, (), it.frame.module.path)
        it.states[ScheduleLengths].lengths[ref] = text, made, _meaning(it.frame, text)


def report_step_in_batch(it: Evaluator, scheduler: v.Engine, node: ir.Node) -> None:
    """Reports `step()` in a loop over batches, where the loop around that runs as often as the schedule has steps."""
    known = it.states[ScheduleLengths].lengths.get(scheduler.ref)
    frame = it.frame
    if known is None or len(frame.loops) < 2:
        return
    written, made, meaning = known
    *outer, inner = (loop.node for loop in frame.loops)
    if type(inner) is not ir.For or not _is_over_batches(inner.iterable):
        return
    if any(_selects(one, node) for one in walk(inner.body)):
        return
    for loop in outer:
        count = _count(loop)
        if loop is not None and count is not None and count == written and _meaning(frame, count) == meaning:
            place = Origin(loop.start, loop.end, "for", (), frame.module.path)
            data = (
                ("name", scheduler.qualname.rpartition(".")[2]),
                ("length", written),
                ("made", made),
                ("loop", place),
            )
            kind = FaultKind.SCHEDULE_ENDS_IN_FIRST_EPOCH
            it.report([Fault(kind, node.start, node.end, "step", data, path=frame.module.path)])


def _end_of_decay(factor: ir.Node | None) -> ir.Node | None:
    """Returns the step at which a factor is zero: `total` of `lambda n: 1 - n / total` and of `cos(pi * n / total)`."""
    match factor:
        case ir.Lambda(function=ir.Function(params=(param,), body=(ir.Return(value=ir.Node() as result),))):
            pass
        case _:
            return None
    found: list[ir.Node] = []
    for node in walk((result,)):
        part: ir.Node | None = None
        if type(node) is ir.Binary and node.op == "-":
            part = node.right
        elif type(node) is ir.Call and word(node.function) == "cos" and len(node.args) == 1:
            part = node.args[0]
        if type(part) is ir.Binary and part.op == "/" and reads_name((part.left,), frozenset({param.name})):
            found.append(part.right)
    return found[0] if len(found) == 1 else None


def _selects(branch: ir.Node, call: ir.Node) -> bool:
    """Returns whether a call is inside of an `if` that asks for something else than whether there is an object."""
    if type(branch) is not ir.Branch or not branch.start <= call.start < branch.end:
        return False
    test = branch.test
    return not (type(test) is ir.Compare and set(test.ops) <= {"is", "is not"})


def _meaning(frame: Frame, text: str) -> str:
    """Returns where a text means the same: everywhere for a number, in a class for its attributes, else in a function."""
    if text.isdecimal():
        return ""
    if text.startswith("self.") and frame.owner is not None:
        return frame.owner.ref
    start = -1 if frame.function is None else frame.function.start
    return f"{frame.module.path}:{start}"


def _count(loop: ir.Node | None) -> str | None:
    """Returns the number of iterations of `for epoch in range(N)` as written."""
    match loop:
        case ir.For(iterable=ir.Call(function=ir.Name(id=name), args=args)) if name in _RANGES and args:
            if len(args) == 2 and not (type(args[0]) is ir.Constant and args[0].value == 0):
                return None
            return _written(args[min(len(args), 2) - 1]) if len(args) < 3 else None
    return None


def _is_over_batches(iterable: ir.Node) -> bool:
    """Returns whether what a loop runs over is named as data are, and not as phases or folds."""
    names = {one.id for one in walk((iterable,)) if type(one) is ir.Name}
    names |= {one.name for one in walk((iterable,)) if type(one) is ir.Attribute}
    if not names.isdisjoint({"items", "values", "keys"}):
        return False  # several loaders
    return any(part in name.lower() for name in names for part in _DATA)


def _written(node: ir.Node) -> str | None:
    """Returns a whole number above one, or a name with its attributes, as a text; None for anything else."""
    match node:
        case ir.Constant(value=int(value)) if value is not True and value > 1:
            return str(value)
        case ir.Name() | ir.Attribute():
            return dotted(node) or None
    return None
