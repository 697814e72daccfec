"""Simulates all ranks of a program in one process, in lock-step, so that a hang is detected at once.

Every rank is a thread, and one runs at a time until it enters a collective. When all members of the group wait
in it and their calls agree, values are exchanged and they go on; when they disagree, or when nobody can move,
the world ends with the lines on which the ranks wait.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import types
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
import torch.distributed as dist
from torch import nn

WORLD_GROUP = "world"
WITHOUT_GROUP = "Default process group has not been initialized, please make sure to call init_process_group."
PEER_KINDS = ("send", "recv")
MAX_CALLS = 10000


class Ended(BaseException):
    """Unwinds the ranks that still wait when the world has ended."""


class Unsupported(BaseException):
    """The simulation cannot say what real ranks would do."""


@dataclass
class Call:
    """A rank waiting in `kind`; `lines` are those of the program on its stack, innermost first."""

    kind: str
    group: object
    lines: tuple
    tensor: object = None
    agree: tuple = ()
    data: dict = field(default_factory=dict)

    @property
    def key(self):
        sizes = None if self.tensor is None else (tuple(self.tensor.shape), self.tensor.dtype)
        return self.kind, self.agree, sizes


@dataclass
class Result:
    """The outcome of a world. `stuck` names what each rank waited in, with its lines; empty when every rank
    finished.

    `differ` is true when the ranks met in one collective with calls that do not fit.
    """

    stuck: dict
    errors: dict
    namespaces: list
    differ: bool = False


class Crew:
    """Reuses threads for ranks. They can be made before a process gives up its right to make any."""

    def __init__(self, size):
        self.tasks = [queue.SimpleQueue() for _ in range(size)]
        self.done = queue.SimpleQueue()
        for tasks in self.tasks:
            threading.Thread(target=self._serve, args=(tasks,), daemon=True).start()

    def _serve(self, tasks):
        while True:
            task = tasks.get()
            if task is None:
                return
            try:
                task()
            finally:
                self.done.put(None)

    def run(self, tasks):
        for own, task in zip(self.tasks, tasks):
            own.put(task)
        for _ in tasks:
            self.done.get()

    def leave(self):
        for tasks in self.tasks:
            tasks.put(None)


@contextmanager
def _nothing():
    yield


class World:
    """The simulated ranks of a program; `within` creates a context for each rank, entered in its thread."""

    def __init__(self, source, filename, size, crew=None, within=_nothing):
        self.code = compile(source, filename, "exec")
        self.filename, self.size = filename, size
        self.crew, self.within = crew, within
        self.changed = threading.Condition()
        self.local = threading.local()
        self.turn = 0
        self.calls = 0
        self.waiting = {}
        self.finished = {}
        self.stuck = {}
        self.differ = False
        self.groups = {WORLD_GROUP: tuple(range(size))}
        self.made = [0] * size
        self.initialized = set()
        self.ended = set()  # ranks that have destroyed their group
        self.namespaces = [{"__name__": "__main__"} for _ in range(size)]

    def run(self):
        # type: () -> Result
        crew = self.crew or Crew(self.size)
        with _replaced(os.environ, {}), self._functions_replaced():
            crew.run([lambda rank=rank: self._rank(rank) for rank in range(self.size)])
        if self.crew is None:
            crew.leave()
        errors = {rank: error for rank, error in sorted(self.finished.items()) if error is not None}
        return Result(self.stuck, errors, self.namespaces, self.differ)

    def _rank(self, rank):
        self.local.rank = rank
        error = None
        try:
            with self.changed:
                self._wait_for_turn(rank)
            torch.set_grad_enabled(True)  # of this thread
            with self.within():
                exec(self.code, self.namespaces[rank])
        except Ended:
            return
        except SystemExit as exit_:
            error = exit_ if exit_.code not in (None, 0) else None
        except BaseException as raised:  # whatever the program raises is its outcome
            error = raised
        with self.changed:
            self.finished[rank] = error
            self._pass_on(rank)

    def _wait_for_turn(self, rank):
        self.changed.wait_for(lambda: self.turn == rank or self.stuck)
        if self.stuck:
            raise Ended
        os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(self.size))

    def _pass_on(self, rank):
        ready = [r for r in range(self.size) if r not in self.waiting and r not in self.finished]
        if ready:
            self.turn = min(ready, key=lambda r: (r - rank - 1) % self.size)
        elif self.waiting:
            self._end()
        self.changed.notify_all()

    def _end(self):
        self.stuck = self.stuck or {rank: (call.kind, call.lines) for rank, call in self.waiting.items()}

    def enter(self, kind, group=None, tensor=None, agree=(), **data):
        """Waits until the collective is complete; None for a rank outside the group, as torch does."""
        rank = self.local.rank
        if kind != "init_process_group":
            self.require(group)
        group = WORLD_GROUP if group is None else group
        if rank not in self.groups[group]:
            return None
        call = Call(kind, group, self._lines(), tensor, agree, data)
        with self.changed:
            self.calls += 1
            if self.calls > MAX_CALLS:
                raise Unsupported(f"more than {MAX_CALLS} collectives")
            self.waiting[rank] = call
            self._match()
            self._pass_on(rank)
            self.changed.wait_for(lambda: rank not in self.waiting or self.stuck)
            self._wait_for_turn(rank)
        return call

    def require(self, group):
        """Raises torch's error where a rank that has destroyed the default group requests it."""
        if group is None and self.local.rank in self.ended:
            raise ValueError(WITHOUT_GROUP)

    def _lines(self):
        lines, frame = [], sys._getframe(2)
        while frame is not None:
            if frame.f_code.co_filename == self.filename:
                lines.append(frame.f_lineno)
            frame = frame.f_back
        return tuple(lines)

    def _match(self):
        for group, members in self.groups.items():
            calls = [self.waiting[r] for r in members if r in self.waiting and self.waiting[r].group == group]
            if len(calls) < len(members) or any(call.kind in PEER_KINDS for call in calls):
                continue
            if len({call.key for call in calls}) > 1:
                self.differ = True
                self._end()
                return
            _exchange(calls)
            for rank in members:
                del self.waiting[rank]
        for rank, call in sorted(self.waiting.items()):
            if call.kind != "send" or rank not in self.waiting:
                continue
            peer = self.waiting.get(call.data["peer"])
            if peer is None or not _receives(peer, rank, call):
                continue
            if peer.key[2] != call.key[2]:
                self.differ = True
                self._end()
                return
            peer.tensor.detach().copy_(call.tensor.detach())
            peer.data["sender"] = rank
            del self.waiting[rank], self.waiting[call.data["peer"]]

    @contextmanager
    def _functions_replaced(self):
        parallel = {"DistributedDataParallel": _simulated_ddp(self)}
        with _replaced(vars(dist), _functions(self)), _replaced(vars(nn.parallel), parallel):
            yield


def _receives(peer, sender, call):
    return (
        peer.kind == "recv"
        and peer.data["peer"] in (None, sender)
        and peer.data["tag"] == call.data["tag"]
        and peer.group == call.group
    )


@contextmanager
def _replaced(mapping, values):
    """Sets `values` in a mapping within a `with` block and restores it afterwards."""
    before = dict(mapping)
    mapping.update(values)
    try:
        yield
    finally:
        for name in set(mapping) - set(before):
            del mapping[name]
        mapping.update(before)


def _functions(world):
    """Returns replacements for the functions of torch.distributed that a simulated world supports."""

    def done(async_op):
        if not async_op:
            return None
        return types.SimpleNamespace(wait=lambda *_: True, is_completed=lambda: True)

    def position(group=None):
        world.require(group)
        members = world.groups[WORLD_GROUP if group is None else group]
        return members.index(world.local.rank) if world.local.rank in members else -1

    def init_process_group(*_, **__):
        world.enter("init_process_group")
        world.initialized.add(world.local.rank)
        world.ended.discard(world.local.rank)

    def destroy_process_group(group=None):
        if group is None:
            world.initialized.discard(world.local.rank)
            world.ended.add(world.local.rank)

    def size(group=None):
        world.require(group)
        return len(world.groups[WORLD_GROUP if group is None else group])

    def on_one_rank(name, given, root, group):
        what = "destination" if name == "gather_list" else "source"
        if world.local.rank == root and not given:
            raise ValueError(f"Argument ``{name}`` must be specified on {what} rank.")
        if world.local.rank != root and given:
            raise ValueError(f"Argument ``{name}`` must NOT be specified on non-{what} ranks.")
        if given and len(given) != size(group):
            kind = "output" if name == "gather_list" else "input"
            raise RuntimeError(
                f"Incorrect {kind} list size {len(given)}. {kind.capitalize()} list size should be {size(group)}"
            )

    def all_reduce(tensor, op=dist.ReduceOp.SUM, group=None, async_op=False):
        _check_tensor(tensor)
        world.enter("all_reduce", group, tensor, agree=(str(op),), op=op)
        return done(async_op)

    def reduce(tensor, dst=0, op=dist.ReduceOp.SUM, group=None, async_op=False):
        _check_tensor(tensor)
        to = world.local.rank == dst
        world.enter("reduce", group, tensor, agree=(str(op), dst), op=op, receives=to)
        return done(async_op)

    def broadcast(tensor, src=None, group=None, async_op=False):
        _check_tensor(tensor)
        world.enter("broadcast", group, tensor, agree=(src,), source=world.local.rank == src)
        return done(async_op)

    def barrier(group=None, async_op=False, device_ids=None):
        world.enter("barrier", group)
        return done(async_op)

    def all_gather(tensor_list, tensor, group=None, async_op=False):
        _check_tensor(tensor)
        _check_list("tensor_list", tensor_list, tensor)
        if len(tensor_list) != size(group):
            raise RuntimeError(
                f"invalid output tensor list at index 0 (expected length {size(group)}, got {len(tensor_list)})"
            )
        _check_sizes(tensor_list, tensor)
        world.enter("all_gather", group, tensor, out=tensor_list)
        return done(async_op)

    def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
        _check_tensor(input_tensor)
        if output_tensor.dtype != input_tensor.dtype:
            raise RuntimeError(
                f"invalid tensor type at index 0 (expected {input_tensor.dtype}, got {output_tensor.dtype})"
            )
        if output_tensor.numel() != input_tensor.numel() * size(group):
            raise RuntimeError("output tensor size must be equal to world_size times input tensor size")
        world.enter("all_gather_into_tensor", group, input_tensor, out=output_tensor)
        return done(async_op)

    def all_gather_object(object_list, obj, group=None):
        if len(object_list) < size(group):
            raise IndexError("list assignment index out of range")
        world.enter("all_gather_object", group, out=object_list, value=obj)

    def gather(tensor, gather_list=None, dst=0, group=None, async_op=False):
        on_one_rank("gather_list", gather_list, dst, group)
        world.enter("gather", group, tensor, agree=(dst,), out=gather_list)
        return done(async_op)

    def scatter(tensor, scatter_list=None, src=0, group=None, async_op=False):
        on_one_rank("scatter_list", scatter_list, src, group)
        world.enter("scatter", group, tensor, agree=(src,), parts=scatter_list)
        return done(async_op)

    def reduce_scatter(output, input_list, op=dist.ReduceOp.SUM, group=None, async_op=False):
        _check_list("input_list", input_list, output)
        if len(input_list) != size(group):
            raise RuntimeError("invalid input tensor list size, must be world size")
        world.enter("reduce_scatter", group, output, agree=(str(op),), op=op, parts=input_list)
        return done(async_op)

    def broadcast_object_list(object_list, src=0, group=None, device=None):
        source = world.local.rank == src
        world.enter("broadcast_object_list", group, agree=(src,), out=object_list, source=source)

    def send(tensor, dst, group=None, tag=0):
        world.enter("send", group, tensor, peer=dst, tag=tag)

    def recv(tensor, src=None, group=None, tag=0):
        call = world.enter("recv", group, tensor, peer=src, tag=tag)
        return -1 if call is None else call.data["sender"]

    def new_group(ranks=None, *_, **__):
        members = tuple(ranks) if ranks is not None else world.groups[WORLD_GROUP]
        made = world.made[world.local.rank]
        world.made[world.local.rank] += 1
        world.groups.setdefault((made, members), members)
        world.enter("new_group", agree=members)
        return made, members

    return {
        "is_available": lambda: True,
        "is_initialized": lambda: world.local.rank in world.initialized,
        "init_process_group": init_process_group,
        "destroy_process_group": destroy_process_group,
        "get_rank": position,
        "get_world_size": size,
        "get_backend": lambda group=None: "gloo",
        "all_reduce": all_reduce,
        "reduce": reduce,
        "broadcast": broadcast,
        "barrier": barrier,
        "monitored_barrier": lambda group=None, timeout=None, wait_all_ranks=False: barrier(group),
        "all_gather": all_gather,
        "all_gather_into_tensor": all_gather_into_tensor,
        "all_gather_object": all_gather_object,
        "gather": gather,
        "scatter": scatter,
        "reduce_scatter": reduce_scatter,
        "broadcast_object_list": broadcast_object_list,
        "new_group": new_group,
        "send": send,
        "recv": recv,
    }


def _check_tensor(value, name="tensor"):
    if not isinstance(value, torch.Tensor):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor\n"
            f"             but got {type(value)} instead."
        )


def _check_list(name, tensors, like):
    if not isinstance(tensors, list) or not all(isinstance(one, torch.Tensor) for one in tensors):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n"
            f"             but got {type(tensors)} instead."
        )
    for one in tensors:
        if one.dtype != like.dtype:
            raise ValueError(
                f"Invalid usage of tensors with different dtypesFound {one.dtype} and  {like.dtype}"
            )


def _check_sizes(tensors, like):
    for one in tensors:
        if one.shape != like.shape:
            raise RuntimeError(
                f"invalid tensor size at index 0 (expected {tuple(like.shape)}, got {tuple(one.shape)})"
            )


def _simulated_ddp(world):
    class DistributedDataParallel(nn.Module):
        """Simulates DDP: broadcasts from rank 0 at construction, of buffers before a forward, and all-reduce
        of gradients.

        Gradients are reduced in a backward that a forward of the wrapper has prepared, and in no other.
        As in torch 2.13 a forward broadcasts buffers, train or eval, unless the one before ran without gradients, and a
        forward with gradients refuses to begin when a backward has left some of the parameters without one.
        """

        def __init__(self, module, *_, find_unused_parameters=False, static_graph=False, **__):
            super().__init__()
            self.module = module
            self.waits = not find_unused_parameters and not static_graph
            self.awaited = {id(p) for p in module.parameters() if p.requires_grad}
            self.ready = set()
            self.expects_backward = False  # a forward with gradients has run
            self.buffers_may_differ = True
            world.enter("DistributedDataParallel", agree=tuple(p.shape for p in module.parameters()))
            for tensor in (*module.parameters(), *module.buffers()):
                world.enter("broadcast", None, tensor.data, agree=(0,), source=world.local.rank == 0)
            for parameter in module.parameters():
                if parameter.requires_grad:
                    parameter.register_post_accumulate_grad_hook(self._reduce)

        def _reduce(self, parameter):
            if not self.expects_backward:
                return
            self.ready.add(id(parameter))
            if self.ready == self.awaited:
                self.ready.clear()
                self.expects_backward = False
            world.enter("all_reduce", None, parameter.grad, agree=("gradient",), op="AVG")

        def forward(self, *args, **kwargs):
            if self.waits and self.ready and torch.is_grad_enabled():
                raise RuntimeError(
                    "Expected to have finished reduction in the prior iteration before starting a new one."
                )
            if self.buffers_may_differ and any(True for _ in self.module.buffers()):
                world.enter("broadcast of buffers")
            self.buffers_may_differ = torch.is_grad_enabled()
            self.expects_backward = self.expects_backward or torch.is_grad_enabled()
            return self.module(*args, **kwargs)

    return DistributedDataParallel


def _exchange(calls):
    try:
        with torch.no_grad():
            EXCHANGES.get(calls[0].kind, lambda calls: None)(calls)
    except Exception as error:  # torch would say it in other words, and on other ranks
        raise Unsupported(f"values of {calls[0].kind} cannot be exchanged: {error}") from None


def _reduced(call, tensors):
    op = str(call.data["op"]).rpartition(".")[2]
    stacked = torch.stack([tensor.detach() for tensor in tensors])
    reductions = {
        "SUM": stacked.sum,
        "AVG": stacked.mean,
        "MAX": stacked.amax,
        "MIN": stacked.amin,
        "PRODUCT": stacked.prod,
    }
    return reductions[op](0)


def _combine(calls):
    combined = _reduced(calls[0], [call.tensor for call in calls])
    for call in calls:
        if call.data.get("receives", True):
            call.tensor.detach().copy_(combined)


def _source(calls):
    for call in calls:
        if call.data["source"]:
            return call
    raise ValueError("the source is no member")


def _from_source(calls):
    values = _source(calls).tensor.clone()
    for call in calls:
        call.tensor.detach().copy_(values)


def _gather(calls):
    for call in calls:
        for place, sender in zip(call.data["out"] or (), calls):
            place.copy_(sender.tensor)


def _gather_into_tensor(calls):
    for call in calls:
        out = call.data["out"]
        parts = [sender.tensor for sender in calls]
        out.copy_(torch.cat(parts) if out.dim() == parts[0].dim() else torch.stack(parts))


def _scatter(calls):
    given = [call.data["parts"] for call in calls if call.data["parts"]]
    (parts,) = given
    for call, part in zip(calls, parts):
        call.tensor.copy_(part)


def _reduce_scatter(calls):
    sums = [_reduced(calls[0], parts) for parts in zip(*(call.data["parts"] for call in calls))]
    for call, part in zip(calls, sums):
        call.tensor.copy_(part)


def _gather_objects(calls):
    for call in calls:
        call.data["out"][: len(calls)] = [sender.data["value"] for sender in calls]


def _objects_from_source(calls):
    values = list(_source(calls).data["out"])
    for call in calls:
        call.data["out"][:] = values


EXCHANGES = {
    "all_reduce": _combine,
    "reduce": _combine,
    "broadcast": _from_source,
    "all_gather": _gather,
    "all_gather_into_tensor": _gather_into_tensor,
    "gather": _gather,
    "scatter": _scatter,
    "reduce_scatter": _reduce_scatter,
    "all_gather_object": _gather_objects,
    "broadcast_object_list": _objects_from_source,
}
