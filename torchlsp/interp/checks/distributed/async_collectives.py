"""Reports asynchronous collectives whose handle is dropped, or whose tensor is used before `wait()`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.store.state import path_state
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.walking import below

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.ops.table import Row

_RESULTS = {
    "all_reduce": "tensor", "reduce": "tensor", "broadcast": "tensor", "all_gather": "tensor_list", "gather": "gather_list",
    "scatter": "tensor", "reduce_scatter": "output", "all_gather_into_tensor": "output_tensor", "reduce_scatter_tensor": "output",
    "all_to_all": "output_tensor_list", "all_to_all_single": "output", "irecv": "tensor",
}  # fmt: skip
"""The argument that a collective writes while it is pending."""
_LOOKS_ONLY = frozenset(
    """size dim ndimension numel nelement element_size is_contiguous stride storage_offset data_ptr get_device is_floating_point
    is_complex view reshape detach squeeze unsqueeze transpose permute t expand expand_as narrow flatten view_as __getitem__ select
    chunk split zeros_like ones_like empty_like full_like rand_like randn_like new_zeros new_ones new_empty new_full new_tensor
    requires_grad_ is_pinned record_stream shape dtype device T data real""".split()
)
"""Operators that do not read the elements of a tensor."""
_WAIT_FOR_ALL = frozenset({"barrier", "monitored_barrier", "synchronize"})
_READS = frozenset({"builtins.print", "builtins.float", "builtins.int", "builtins.bool"})
_WAITS = frozenset(
    {
        "torch.cuda.synchronize",
        "torch.accelerator.synchronize",
        "torch.cuda.current_stream",
        "torch.cuda.stream",
    }
)


PENDING = path_state("pending", ())
"""Pending collectives: (ref of the handle, the storages it writes, origin, name of the handle) of each."""


def start_collective(it: Evaluator, short: str, bound: dict[str, Value], node: ir.Node) -> Value:
    """Returns the handle of an asynchronous collective, and reports one that is dropped."""
    kept, name = _kept(it, node)
    if not kept:
        data = (("name", short), ("bound", name))
        it.report(
            [Fault(FaultKind.HANDLE_DROPPED, node.start, node.end, short, data, path=it.frame.module.path)]
        )
        return UNKNOWN_VALUE
    ref = f"work@{it.frame.site}:{node.start}"
    origin = Origin(node.start, node.end, short, (), it.frame.module.path)
    ids = frozenset(_ids(it, bound.get(_RESULTS.get(short, ""))))
    if ids:
        pending = (*(it.state.modes[PENDING] or ()), (ref, ids, origin, name))
        it.state.set(it.state.modes, PENDING, pending)
    return v.Work(ref)


def _kept(it: Evaluator, node: ir.Node) -> tuple[bool, str]:
    """Returns whether the handle may be used later, and returns the name to which it is bound."""
    statement = it.frame.statement
    function = it.frame.function
    body: tuple[ir.Node, ...] = function.body if function is not None else it.frame.module.ir.body
    if statement == (node.start, node.end):
        return function is not None and function.is_lambda or _waits_later(body, node), ""
    name = ""
    for inner in below(body):
        if isinstance(inner, ir.Assign) and (inner.value.start, inner.value.end) == (node.start, node.end):
            if len(inner.targets) == 1 and isinstance(inner.targets[0], ir.Name):
                name = inner.targets[0].id
    if not name:
        return True, ""
    if function is None or any(isinstance(part, ir.Global) and name in part.names for part in below(body)):
        return True, name
    # The places where the name is bound are names, too.
    bindings = sum(
        1
        for part in below(body)
        if isinstance(part, ir.Assign)
        and any(isinstance(target, ir.Name) and target.id == name for target in part.targets)
    )
    reads = sum(1 for part in below(body) if isinstance(part, ir.Name) and part.id == name)
    return reads > bindings, name


def _waits_later(body: tuple[ir.Node, ...], node: ir.Node) -> bool:
    """Returns whether later code waits for all pending collectives."""
    return any(
        isinstance(inner, ir.Call)
        and inner.start > node.end
        and all(key != "async_op" for key, _ in inner.keywords)
        and getattr(inner.function, "name", getattr(inner.function, "id", "")) in _WAIT_FOR_ALL
        for inner in below(body)
    )


def _ids(it: Evaluator, value: Value | None) -> Iterator[str]:
    """Yields the storages that a collective writes, as far as they are known."""
    items = it.elements(value) if value is not None else None
    for one in items if items is not None else (value,):
        if isinstance(one, TensorFact) and one.storage.ids is not None and len(one.storage.ids) == 1:
            yield from one.storage.ids


def evaluate_handle_method(it: Evaluator, work: v.Work, name: str) -> Value:
    """Evaluates a method of a handle, which may wait for the collective."""
    pending = it.state.modes[PENDING] or ()
    it.state.set(it.state.modes, PENDING, tuple(entry for entry in pending if entry[0] != work.ref))
    return UNKNOWN_VALUE


def forget_pending(it: Evaluator) -> None:
    """Forgets all pending collectives, because a call may wait for them."""
    it.state.set(it.state.modes, PENDING, ())


def record_external_call(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Checks a call of an external function while collectives are pending."""
    if name in _READS:
        report_pending_use(it, name, arguments, node)
    elif name in _WAITS:
        forget_pending(it)


def report_pending_use(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports an operator on a tensor that a pending collective may still write."""
    if name.rpartition(".")[2] in _LOOKS_ONLY:
        return
    pending = it.state.modes[PENDING]
    for value in arguments.positional:
        for item in it.elements(value) or (value,):
            if not isinstance(item, TensorFact) or item.storage.ids is None or len(item.storage.ids) != 1:
                continue
            for entry in pending:
                ref, ids, origin, bound = entry
                if not item.storage.ids <= ids:
                    continue
                it.state.set(it.state.modes, PENDING, tuple(other for other in pending if other is not entry))
                data = (("started", origin), ("bound", bound), ("input", item))
                it.report(
                    [
                        Fault(
                            FaultKind.USED_UNFINISHED,
                            node.start,
                            node.end,
                            name,
                            data,
                            path=it.frame.module.path,
                        )
                    ]
                )
                return


def _operator_applied(it: Evaluator, row: Row, name: str, arguments: Arguments, node: ir.Node) -> None:
    if it.state.modes[PENDING]:
        report_pending_use(it, name, arguments, node)


def _unknown_called(it: Evaluator, arguments: Arguments, node: ir.Node) -> None:
    if it.state.modes[PENDING]:
        forget_pending(it)


HOOKS = Hooks(before_operator=_operator_applied, unknown_call=_unknown_called)
