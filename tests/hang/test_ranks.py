"""What an expression is on one rank is computed only where the program's text says it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from torchlsp.hang.ranks import SAME, UNKNOWN, Names, OnRank
from torchlsp.hang.sources import Sources

BEFORE = """
import os
import torch.distributed as dist
import helpers
from helpers import is_main as leads

rank, world = dist.get_rank(), dist.get_world_size()
local = int(os.environ["LOCAL_RANK"])
steps = 0
for epoch in range(3):
    steps += 1
for i, batch in enumerate(loader):
    loss = model(batch)
flag = loss > 1
dist.all_reduce(flag)
other = loss > 1
if rank == 0:
    dist.all_reduce(other)

def own():
    dist.all_reduce(inner)

inner = loss
late = False
if loss > 2:
    late = True

def first_of(size):
    if not dist.is_initialized():
        return True
    return dist.get_rank() % size == 0

def nested():
    if rank < 2:
        if rank == 1:
            return "one"
    return "other"
"""
HELPERS = "import torch.distributed as dist\n\ndef is_main():\n    return dist.get_rank() == 0\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rank", [0, 1, 2]), ("rank == 0", [True, False, False]), ("rank != world - 1", [True, True, False]),
        ("local % 2 == 1", [False, True, False]), ("rank in (0, 2)", [True, False, True]), ("not rank", [True, False, False]),
        ("os.environ.get('RANK') == '1'", [False, True, False]), ("int(os.getenv('RANK')) > 1", [False, False, True]),
        ("first_of(2)", [True, False, True]), ("nested()", ["other", "one", "other"]), ("leads()", [True, False, False]), ("helpers.is_main()", [True, False, False]),
        ("helpers.nothing()", UNKNOWN), ("args.rank", [0, 1, 2]), ("self.is_main_process", [True, False, False]),
        ("range(2 + rank)", [range(2), range(3), range(4)]), ("dist.get_rank(group)", UNKNOWN), ("group.rank()", UNKNOWN),
        ("rank == 0 and steps % 2 == 0", [SAME, False, False]), ("rank == 0 and loss > 1", [UNKNOWN, False, False]),
        ("epoch", SAME), ("steps", SAME), ("args.epochs", SAME), ("i", SAME), ("range(args.epochs)", SAME),
        # The same value compared with another one on each rank.
        ("epoch == rank", UNKNOWN), ("args.a[rank]", UNKNOWN), ("range(args.epochs + rank)", UNKNOWN),
        ("args.a[0]", SAME), ("1 if args.a else rank", UNKNOWN), ("1 if args.a else 2", SAME),
        ("loss", UNKNOWN), ("batch", UNKNOWN), ("late", UNKNOWN), ("flag.item() > 0", SAME), ("other", UNKNOWN), ("inner", UNKNOWN),
        ("loss is None", UNKNOWN), ("unbound", UNKNOWN), ("rank < 'a'", UNKNOWN), ("rank % 0", UNKNOWN), ("9 ** 9 ** 9", UNKNOWN),
        ("'a' * 10 ** 12", UNKNOWN), ("range(10000000000000)", [range(10**13)] * 3),
    ],
)  # fmt: skip
def test_value_on_each_rank(tmp_path: Path, text: str, expected: object) -> None:
    (tmp_path / "train.py").write_text(f"{BEFORE}\n{text}\n")
    (tmp_path / "helpers.py").write_text(HELPERS)
    source = Sources().get(str(tmp_path / "train.py"))
    assert source is not None
    last = source.tree.body[-1]
    assert isinstance(last, ast.Expr)
    found = [OnRank(rank, 3).value(last.value, Names(source, source.tree)) for rank in range(3)]
    assert found == (expected if isinstance(expected, list) else [expected] * 3)


def test_argument_of_the_call_goes_before_the_name_of_a_parameter(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(rank, n=2):\n    rank\nf(3)\n")
    source = Sources().get(str(tmp_path / "a.py"))
    assert source is not None
    function, call = source.tree.body
    assert isinstance(function, ast.FunctionDef) and isinstance(call, ast.Expr)
    assert isinstance(call.value, ast.Call) and isinstance(function.body[0], ast.Expr)
    name, outer = function.body[0].value, Names(source, source.tree)
    assert OnRank(1, 2).value(name, Names(source, function, outer, call.value)) == 3
    assert OnRank(1, 2).value(name, Names(source, function)) == 1


def test_long_chain_of_names_takes_little_time(tmp_path: Path) -> None:
    rows = ["a0 = args.a + rank"] + [f"a{n} = a{n - 1} + a{n - 1}" for n in range(1, 60)]
    (tmp_path / "a.py").write_text("\n".join(rows))
    source = Sources().get(str(tmp_path / "a.py"))
    assert source is not None
    name = ast.parse("a59", mode="eval").body
    assert OnRank(1, 64).value(name, Names(source, source.tree)) is UNKNOWN
