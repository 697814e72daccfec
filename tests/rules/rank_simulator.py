"""All ranks of a program in one process, in lock-step: a hang is seen at once, without waiting for a time-out.

Every rank is a thread, and one runs at a time until it enters a collective. When all members of the group wait
in it and their calls agree, values are exchanged and they go on; when they disagree, or when nobody can move,
the world ends with the lines on which the ranks wait.
"""

from __future__ import annotations

import os
import sys
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from unittest import mock

import torch
import torch.distributed as dist
from torch import nn

WORLD_GROUP = "world"
PEER_KINDS = ("send", "recv")


class Ended(BaseException):
    """Unwinds the ranks that still wait when the world has ended."""


@dataclass
class Call:
    """A rank waiting in `kind`; `lines` are those of the program on its stack, innermost first."""

    kind: str
    group: object
    lines: tuple[int, ...]
    tensor: torch.Tensor | None = None
    agree: tuple = ()
    data: dict = field(default_factory=dict)

    @property
    def key(self) -> tuple:
        sizes = None if self.tensor is None else (tuple(self.tensor.shape), self.tensor.dtype)
        return self.kind, self.agree, sizes


@dataclass
class Result:
    """`stuck` names what each rank waited in, with its lines; empty when every rank came to its end."""

    stuck: dict[int, tuple[str, tuple[int, ...]]]
    errors: dict[int, BaseException]
    namespaces: list[dict]


class World:
    def __init__(self, source: str, filename: str, size: int) -> None:
        self.code = compile(source, filename, "exec")
        self.filename, self.size = filename, size
        self.changed = threading.Condition()
        self.local = threading.local()
        self.turn = 0
        self.waiting: dict[int, Call] = {}
        self.finished: dict[int, BaseException | None] = {}
        self.stuck: dict[int, tuple[str, tuple[int, ...]]] = {}
        self.groups: dict[object, tuple[int, ...]] = {WORLD_GROUP: tuple(range(size))}
        self.made = [0] * size
        self.initialized: set[int] = set()
        self.namespaces: list[dict] = [{"__name__": "__main__"} for _ in range(size)]

    def run(self) -> Result:
        threads = [
            threading.Thread(target=self._rank, args=(rank,), daemon=True) for rank in range(self.size)
        ]
        with self._functions_replaced():
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        errors = {rank: error for rank, error in self.finished.items() if error is not None}
        return Result(self.stuck, errors, self.namespaces)

    def _rank(self, rank: int) -> None:
        self.local.rank = rank
        error: BaseException | None = None
        try:
            with self.changed:
                self._wait_for_turn(rank)
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

    def _wait_for_turn(self, rank: int) -> None:
        self.changed.wait_for(lambda: self.turn == rank or self.stuck)
        if self.stuck:
            raise Ended
        os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(self.size))

    def _pass_on(self, rank: int) -> None:
        ready = [r for r in range(self.size) if r not in self.waiting and r not in self.finished]
        if ready:
            self.turn = min(ready, key=lambda r: (r - rank - 1) % self.size)
        elif self.waiting:
            self._end()
        self.changed.notify_all()

    def _end(self) -> None:
        self.stuck = self.stuck or {rank: (call.kind, call.lines) for rank, call in self.waiting.items()}

    def enter(
        self, kind: str, group: object = None, tensor=None, agree: tuple = (), **data: object
    ) -> Call | None:
        """Waits until the collective is complete; None for a rank outside the group, as torch does."""
        rank = self.local.rank
        group = WORLD_GROUP if group is None else group
        if rank not in self.groups[group]:
            return None
        call = Call(kind, group, self._lines(), tensor, agree, data)
        with self.changed:
            self.waiting[rank] = call
            self._match()
            self._pass_on(rank)
            self.changed.wait_for(lambda: rank not in self.waiting or self.stuck)
            self._wait_for_turn(rank)
        return call

    def _lines(self) -> tuple[int, ...]:
        lines, frame = [], sys._getframe(2)
        while frame is not None:
            if frame.f_code.co_filename == self.filename:
                lines.append(frame.f_lineno)
            frame = frame.f_back
        return tuple(lines)

    def _match(self) -> None:
        for group, members in self.groups.items():
            calls = [self.waiting[r] for r in members if r in self.waiting and self.waiting[r].group == group]
            if len(calls) < len(members) or any(call.kind in PEER_KINDS for call in calls):
                continue
            if len({call.key for call in calls}) > 1:
                return self._end()
            with torch.no_grad():
                EXCHANGES.get(calls[0].kind, lambda calls: None)(calls)
            for rank in members:
                del self.waiting[rank]
        for rank, call in list(self.waiting.items()):
            peer = self.waiting.get(call.data.get("peer", -1))
            if call.kind == "send" and peer is not None and peer.kind == "recv" and peer.data["peer"] == rank:
                peer.tensor.copy_(call.tensor)
                del self.waiting[rank], self.waiting[call.data["peer"]]
        return None

    @contextmanager
    def _functions_replaced(self) -> Iterator[None]:
        with (
            mock.patch.dict(os.environ),
            mock.patch.multiple(dist, create=True, **_functions(self)),
            mock.patch.object(nn.parallel, "DistributedDataParallel", _simulated_ddp(self)),
        ):
            yield


def _functions(world: World) -> dict[str, Callable]:
    """The replacements for the functions of torch.distributed that the pages use."""

    def done(async_op: bool) -> object:
        return types.SimpleNamespace(wait=lambda *_: True, is_completed=lambda: True) if async_op else None

    def position(group: object = None) -> int:
        members = world.groups[WORLD_GROUP if group is None else group]
        return members.index(world.local.rank) if world.local.rank in members else -1

    def init_process_group(*_: object, **__: object) -> None:
        world.enter("init_process_group")
        world.initialized.add(world.local.rank)

    def all_reduce(tensor, op=dist.ReduceOp.SUM, group=None, async_op=False):
        world.enter("all_reduce", group, tensor, agree=(str(op),), op=op)
        return done(async_op)

    def reduce(tensor, dst=0, op=dist.ReduceOp.SUM, group=None, async_op=False):
        world.enter("reduce", group, tensor, agree=(str(op), dst), op=op)
        return done(async_op)

    def broadcast(tensor, src=None, group=None, async_op=False):
        world.enter("broadcast", group, tensor, agree=(src,), source=world.local.rank == src)
        return done(async_op)

    def barrier(group=None, async_op=False, device_ids=None):
        world.enter("barrier", group)
        return done(async_op)

    def all_gather(tensor_list, tensor, group=None, async_op=False):
        world.enter("all_gather", group, tensor, out=tensor_list)
        return done(async_op)

    def all_gather_object(object_list, obj, group=None):
        world.enter("all_gather_object", group, out=object_list, value=obj)

    def gather(tensor, gather_list=None, dst=0, group=None, async_op=False):
        world.enter("gather", group, tensor, agree=(dst,), out=gather_list)
        return done(async_op)

    def broadcast_object_list(object_list, src=0, group=None, device=None):
        source = world.local.rank == src
        world.enter("broadcast_object_list", group, agree=(src,), out=object_list, source=source)

    def new_group(ranks=None, *_: object, **__: object) -> object:
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
        "destroy_process_group": lambda group=None: world.initialized.discard(world.local.rank),
        "get_rank": position,
        "get_world_size": lambda group=None: len(world.groups[WORLD_GROUP if group is None else group]),
        "get_backend": lambda group=None: "gloo",
        "all_reduce": all_reduce,
        "reduce": reduce,
        "broadcast": broadcast,
        "barrier": barrier,
        "all_gather": all_gather,
        "all_gather_object": all_gather_object,
        "gather": gather,
        "broadcast_object_list": broadcast_object_list,
        "new_group": new_group,
        "send": lambda tensor, dst, group=None, tag=0: world.enter("send", None, tensor, peer=dst) and None,
        "recv": lambda tensor, src, group=None, tag=0: world.enter("recv", None, tensor, peer=src) and src,
    }


def _simulated_ddp(world: World) -> type:
    class DistributedDataParallel(nn.Module):
        """Construction, the broadcast of buffers before a forward, and the gradients' all-reduce.

        As in torch 2.13 a forward broadcasts buffers, train or eval, unless the one before ran without gradients.
        """

        def __init__(self, module: nn.Module, *_: object, **__: object) -> None:
            super().__init__()
            self.module = module
            self.buffers_may_differ = True
            world.enter("DistributedDataParallel", agree=tuple(p.shape for p in module.parameters()))
            for parameter in module.parameters():
                parameter.register_post_accumulate_grad_hook(self._reduce)

        def _reduce(self, parameter: torch.Tensor) -> None:
            world.enter("all_reduce", None, parameter.grad, agree=("gradient",), op=dist.ReduceOp.AVG)

        def forward(self, *args: object, **kwargs: object) -> object:
            if self.buffers_may_differ and any(True for _ in self.module.buffers()):
                world.enter("broadcast of buffers")
            self.buffers_may_differ = torch.is_grad_enabled()
            return self.module(*args, **kwargs)

    return DistributedDataParallel


def _combine(calls: list[Call]) -> None:
    stacked = torch.stack([call.tensor.detach() for call in calls])
    op = str(calls[0].data["op"]).rpartition(".")[2]
    combined = {"SUM": stacked.sum, "AVG": stacked.mean, "MAX": stacked.amax, "MIN": stacked.amin}[op](0)
    for call in calls:
        call.tensor.detach().copy_(combined)


def _from_source(calls: list[Call]) -> None:
    values = next(call for call in calls if call.data["source"]).tensor.clone()
    for call in calls:
        call.tensor.detach().copy_(values)


def _gather(calls: list[Call]) -> None:
    for call in calls:
        for place, sender in zip(call.data["out"] or (), calls, strict=False):
            place.copy_(sender.tensor)


def _gather_objects(calls: list[Call]) -> None:
    for call in calls:
        call.data["out"][:] = [sender.data["value"] for sender in calls]


def _objects_from_source(calls: list[Call]) -> None:
    values = list(next(call for call in calls if call.data["source"]).data["out"])
    for call in calls:
        call.data["out"][:] = values


EXCHANGES = {
    "all_reduce": _combine,
    "reduce": _combine,
    "broadcast": _from_source,
    "all_gather": _gather,
    "gather": _gather,
    "all_gather_object": _gather_objects,
    "broadcast_object_list": _objects_from_source,
}
