"""Runs programs on several ranks as threads, whose collectives wait for each other and are recorded like torch's.

The stacks are Python's own; a job ends when no rank can go on. What is written has the form of the Flight Recorder's dumps.
"""

from __future__ import annotations

import pickle
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

LIBRARY = "/opt/site-packages/torch/distributed/distributed_c10d.py"
OPERATIONS = ("all_reduce", "broadcast", "barrier", "all_gather", "reduce", "gather")
# Compiled under the name of torch's file, so that it is on the stacks as torch is.
WRAPPERS = "".join(
    f"def {name}(x=None, *rest, group=None, **options):\n    return begin('{name}', x, group)\n"
    for name in OPERATIONS
)
# What a wrapped model calls: a file of torch that is not torch.distributed's own.
ENGINE = "/opt/site-packages/torch/autograd/graph.py"
BACKWARD = "def backward(x):\n    return None if x is None else all_reduce(x)\n"


class Stopped(BaseException):
    """No rank can go on."""


class Job:
    """A program that runs on several ranks."""

    def __init__(self, program: str, path: str, world: int) -> None:
        self.code = compile(program, path, "exec")
        self.path = path
        self.world = world
        self.changed = threading.Condition()
        self.entries: list[list[dict[str, object]]] = [[] for _ in range(world)]
        self.sequences: list[dict[str, int]] = [{} for _ in range(world)]
        self.idle: dict[int, tuple[str, int, tuple[int, ...]] | None] = {}
        self.has_stopped = False

    def run(self) -> None:
        threads = [threading.Thread(target=self.run_rank, args=(rank,)) for rank in range(self.world)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()

    def run_rank(self, rank: int) -> None:
        functions: dict[str, object] = {"begin": lambda name, x, group: self.begin(rank, name, x, group)}
        exec(compile(WRAPPERS, LIBRARY, "exec"), functions)
        exec(compile(BACKWARD, ENGINE, "exec"), functions)
        groups = iter(range(1, 100))
        dist = SimpleNamespace(
            **{name: functions[name] for name in OPERATIONS},
            get_rank=lambda: rank,
            get_world_size=lambda: self.world,
            new_group=lambda ranks: (str(next(groups)), tuple(ranks)),
            recv=lambda x, source: self.wait(rank, ("recv", 0, (source,))),
        )
        try:
            given = {"dist": dist, "x": [1.0], "backward": functions["backward"]}
            exec(self.code, {"__name__": "__main__", "__file__": self.path} | given)
        except (Stopped, Exception, SystemExit):
            pass
        with self.changed:
            self.idle[rank] = None
            self.stop_if_stuck()

    def begin(
        self, rank: int, name: str, x: list[float] | None, group: tuple[str, tuple[int, ...]] | None
    ) -> None:
        label, ranks = group or ("0", tuple(range(self.world)))
        if self.has_stopped:
            raise Stopped
        sequence = self.sequences[rank][label] = self.sequences[rank].get(label, 0) + 1
        sizes = [] if x is None else [[len(x)]]
        entry: dict[str, object] = {
            "record_id": len(self.entries[rank]),
            "process_group": (label, "undefined" if group else "default_pg"),
            "collective_seq_id": sequence,
            "profiling_name": f"gloo:{name}",
            "input_sizes": sizes,
            "output_sizes": sizes,
            "input_dtypes": ["Float"] * len(sizes),
            "output_dtypes": ["Float"] * len(sizes),
            "state": "scheduled",
            "retired": False,
            "is_p2p": False,
            "frames": self.frames(),
        }
        with self.changed:
            self.entries[rank].append(entry)
            self.changed.notify_all()
        self.wait(rank, (label, sequence, ranks))
        entry["retired"] = True

    def wait(self, rank: int, what: tuple[str, int, tuple[int, ...]]) -> None:
        with self.changed:
            while not self.is_there(what):
                self.idle[rank] = what
                self.stop_if_stuck()
                if self.has_stopped:
                    raise Stopped
                self.changed.wait(10)
            self.idle.pop(rank, None)

    def is_there(self, what: tuple[str, int, tuple[int, ...]]) -> bool:
        label, sequence, ranks = what
        if label == "recv":
            return False
        begun = [self.name_of(rank, label, sequence) for rank in ranks]
        return None not in begun and len(set(begun)) == 1

    def name_of(self, rank: int, label: str, sequence: int) -> object:
        for one in self.entries[rank]:
            if one["process_group"][0] == label and one["collective_seq_id"] == sequence:  # type: ignore[index]
                return one["profiling_name"]
        return None

    def stop_if_stuck(self) -> None:
        if len(self.idle) == self.world and not any(
            what is not None and self.is_there(what) for what in self.idle.values()
        ):
            self.has_stopped = True
            self.changed.notify_all()

    def frames(self) -> list[dict[str, object]]:
        """Returns the stack of a collective, the innermost frame first."""
        frame = sys._getframe()
        while frame.f_code.co_filename == __file__ and frame.f_back is not None:
            frame = frame.f_back
        found: list[dict[str, object]] = []
        while frame.f_code.co_filename != __file__ and frame.f_back is not None:
            code = frame.f_code
            found.append({"filename": code.co_filename, "line": frame.f_lineno, "name": code.co_name})
            frame = frame.f_back
        return found

    def dumps(self) -> list[dict[str, object]]:
        return [
            {
                "version": "2.10",
                "entries": entries,
                "pg_config": {"": {"desc": "", "name": "", "ranks": "[]"}},
            }
            for entries in self.entries
        ]


@pytest.fixture
def run_job(tmp_path: Path) -> Callable[..., list[str]]:
    """Writes a program, runs it on ranks, and returns the files of their dumps."""

    def run(program: str, world: int = 2) -> list[str]:
        path = tmp_path / "train.py"
        path.write_text(program)
        job = Job(program, str(path), world)
        job.run()
        paths = []
        for rank, dump in enumerate(job.dumps()):
            paths.append(str(tmp_path / f"trace_rank_{rank}"))
            Path(paths[-1]).write_bytes(pickle.dumps(dump, protocol=2))
        return paths

    return run
