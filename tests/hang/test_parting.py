"""The branch that is named is the one at which the program was written to send its ranks apart.

`# parted` is the branch that must be named; `# perhaps` are those that must be offered together, where the dumps cannot tell. Without
either nothing may be named.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from torchlsp.hang.account import account

RunJob = Callable[..., list[str]]
_MARK = re.compile(r"# (parted|perhaps)$")

PROGRAMS = {
    "a branch on the rank": """
rank = dist.get_rank()
dist.barrier()
if rank == 0:  # parted
    dist.all_reduce(x)
dist.broadcast(x, 0)
""",
    "the other arm": """
rank = dist.get_rank()
dist.barrier()
if rank == 0:  # parted
    dist.broadcast(x, 0)
else:
    dist.all_reduce(x)
dist.barrier()
""",
    "a branch on the rank inside of a loop": """
rank = dist.get_rank()
for step in range(3):
    dist.all_reduce(x)
    if rank == 0 and step == 1:  # parted
        dist.broadcast(x, 0)
dist.barrier()
""",
    "a collective that only one rank begins, and nothing after it": """
rank = dist.get_rank()
dist.barrier()
print_it = False
if rank == 0:  # parted
    dist.all_reduce(x)
""",
    "a helper that asks for the rank": """
def is_main():
    return dist.get_rank() == 0

def save(model):
    if not is_main():  # parted
        return
    dist.barrier()

dist.all_reduce(x)
save(x)
""",
    "a branch on data": """
losses = {0: 1.0, 1: float("nan")}
for step in range(3):
    dist.all_reduce(x)
    loss = losses[dist.get_rank()]
    if loss != loss:  # parted
        break
    dist.broadcast(x, 0)
dist.barrier()
""",
    "a skipped step and a shorter loader look alike": """
batches = iter([1, 2, 3])
bad = 2 if dist.get_rank() == 0 else -1
for batch in batches:  # perhaps
    if batch == bad:  # perhaps
        continue
    dist.all_reduce(x)
dist.barrier()
""",
    "a skipped step of as many rounds on every rank": """
bad = [2, -1][dist.get_rank()]
for batch in range(3):
    if batch == bad:  # parted
        continue
    dist.all_reduce(x)
dist.barrier()
""",
    "loaders of different lengths": """
loader = [0] * (3 + dist.get_rank())
for batch in loader:  # parted
    dist.all_reduce(x)
dist.barrier()
""",
    "an exception that is caught": """
def load(step):
    if step == 1 and dist.get_rank() == 1:
        raise ValueError("corrupt")
    return step

for step in range(3):
    try:  # parted
        batch = load(step)
        dist.all_reduce(x)
    except ValueError:
        continue
dist.barrier()
""",
    "an early return in a helper": """
def step(batch):
    if batch > limit:  # parted
        return None
    dist.all_reduce(x)
    return batch

limit = [5, 0][dist.get_rank()]
dist.barrier()
step(3)
dist.broadcast(x, 0)
""",
    "a harmless branch before it": """
rank = dist.get_rank()
dist.barrier()
if rank == 0:
    print("begin", end="")
count = [1, 2][rank]
if count > 1:  # parted
    dist.all_reduce(x)
dist.broadcast(x, 0)
""",
    "groups in different order": """
a, b = dist.new_group([0, 1]), dist.new_group([0, 1])
dist.barrier()
if dist.get_rank() == 0:  # parted
    dist.all_reduce(x, group=a)
    dist.all_reduce(x, group=b)
else:
    dist.all_reduce(x, group=b)
    dist.all_reduce(x, group=a)
""",
    "each rank's own way that all take the same number of steps on": """
rank = dist.get_rank()
if rank == 0:
    dist.broadcast(x, 0)
else:
    dist.broadcast(x, 0)
done = [False, True][rank]
if not done:  # parted
    dist.all_reduce(x)
dist.barrier()
""",
    "a condition inside of an expression": """
def sync():
    dist.all_reduce(x)
    return True

ready = [True, False][dist.get_rank()]
dist.barrier()
ok = ready and sync()  # parted
dist.broadcast(x, 0)
""",
    "a loop until the work is done": """
left = [3, 2][dist.get_rank()]
while left > 0:  # parted
    dist.all_reduce(x)
    left -= 1
dist.broadcast(x, 0)
""",
    "an assertion": """
value = [1, -1][dist.get_rank()]
dist.barrier()
try:
    assert value > 0  # parted
    dist.all_reduce(x)
except AssertionError:
    pass
dist.broadcast(x, 0)
""",
    "loops of different counts": """
epochs = 2 + dist.get_rank()
for epoch in range(epochs):  # parted
    for step in range(2):
        dist.all_reduce(x)
    dist.barrier()
dist.broadcast(x, 0)
""",
    "several statements on one line": """
def reduce(v):
    y = str(v); dist.all_reduce(x); return float(y)
scores = [3.0, 1.0]
for epoch in range(2):
    reduce(1.0)
    if scores[dist.get_rank()] < 2.0:  # parted
        dist.barrier()
dist.broadcast(x, 0)
""",
    "a generator": """
def batches(n):
    for i in range(n):  # parted
        dist.all_reduce(x)
        yield i

for batch in batches([3, 4][dist.get_rank()]):
    pass
dist.barrier()
""",
    "another call of the same operation that one rank has skipped": """
import os
rank = dist.get_rank()
if rank != 0:  # perhaps
    dist.barrier()
if rank == 0 and os.path.exists("/nowhere/at/all"):  # perhaps
    dist.barrier()
dist.all_reduce(x)
""",
    "a collective that decides is the same on all ranks": """
for step in range(3):
    flag = [dist.get_rank()]
    dist.all_reduce(flag)
    if flag[0] > 5:
        dist.all_reduce(x)
    mine = [0, 1][dist.get_rank()]
    if mine and step == 1:  # parted
        dist.barrier()
dist.broadcast(x, 0)
""",
    "a callback that one rank has": """
def sync():
    dist.all_reduce(x)

callbacks = [sync] if dist.get_rank() == 0 else []
for epoch in range(2):
    dist.broadcast(x, 0)
    for callback in callbacks:  # parted
        callback()
dist.barrier()
""",
    "recursion": """
def visit(depth):
    dist.all_reduce(x)
    if depth < 2 + dist.get_rank():  # parted
        visit(depth + 1)

visit(0)
dist.barrier()
""",
    "a pattern": """
command = ["go", "stop"][dist.get_rank()]
dist.barrier()
match command:  # parted
    case "go":
        dist.all_reduce(x)
    case _:
        pass
dist.broadcast(x, 0)
""",
    "a step that one rank skips counts in another test": """
class State:
    steps = 0

def log():
    State.steps += 1
    if State.steps % 3 != 0:
        return
    dist.all_reduce(x)

for step in range(6):
    if step == 1 and dist.get_rank() == 1:  # parted
        continue
    log()
dist.barrier()
""",
    "a context manager goes on later": """
from contextlib import contextmanager

@contextmanager
def main_first():
    if dist.get_rank() > 0:
        dist.barrier()
    yield
    if dist.get_rank() == 0:
        dist.barrier()

with main_first():
    if dist.get_rank() == 0:
        dist.all_reduce(x)
dist.all_reduce(x)
""",
    "a method of another class": """
class Loud:
    def sync(self):
        dist.all_reduce(x)

class Quiet:
    def sync(self):
        pass

one = [Loud, Quiet][dist.get_rank()]()
dist.barrier()
one.sync()  # parted
dist.broadcast(x, 0)
""",
    "a list that is emptied": """
queue = [1, 2, 3] if dist.get_rank() == 0 else [1, 2, 3, 4]
while queue:  # parted
    queue.pop()
    dist.all_reduce(x)
dist.barrier()
""",
    "a list that one rank has filled": """
names = ["a", "b"]
if dist.get_rank() == 1:
    names.append("c")
for name in names:  # parted
    dist.all_reduce(x)
dist.barrier()
""",
    "a cached function": """
import functools

@functools.lru_cache(None)
def sums(size):
    dist.all_reduce(x)

for size in [1, 2, 1] if dist.get_rank() == 0 else [1, 2, 3]:
    sums(size)
dist.barrier()
""",
    "a tensor that is reduced only if it is there": """
aux = {0: None, 1: x}[dist.get_rank()]

def total(loss, aux):
    dist.all_reduce(loss)
    if aux is not None:  # parted
        dist.all_reduce(aux)

total(x, aux)
dist.barrier()
""",
    "a wrapped model whose loader is longer": """
for step in range(3 + len([1] * dist.get_rank())):  # parted
    backward(x)
dist.barrier()
""",
    "a wrapped model that may be told not to communicate": """
def no_sync(): ...

for step in range(3 + len([1] * dist.get_rank())):  # perhaps
    is_last = dist.get_rank() == 0 or step > 1
    backward(x if is_last else None)  # perhaps
dist.barrier()
""",
    "a method": """
class Trainer:
    def __init__(self):
        self.best = [0.5, 0.1][dist.get_rank()]

    def evaluate(self):
        dist.all_reduce(x)
        return self.best

    def save(self):
        dist.barrier()

    def fit(self):
        for epoch in range(2):
            score = self.evaluate()
            if score > 0.3:  # parted
                self.save()
        dist.broadcast(x, 0)

Trainer().fit()
""",
}
FOUR = {
    "one rank of four goes past": """
rank = dist.get_rank()
dist.barrier()
if rank != 2:  # parted
    dist.all_reduce(x)
""",
    "half of the ranks": """
rank = dist.get_rank()
dist.barrier()
if rank < 2:  # parted
    dist.all_reduce(x)
else:
    dist.broadcast(x, 0)
""",
    "one group of two": """
a, b = dist.new_group([0, 1]), dist.new_group([2, 3])
mine = a if dist.get_rank() < 2 else b
dist.all_reduce(x, group=mine)
flag = [True, True, True, False][dist.get_rank()]
if flag:  # parted
    dist.all_reduce(x, group=mine)
dist.barrier()
""",
    "a group in which only one rank has begun anything": """
rank = dist.get_rank()
task = ["boxes", "masks", "boxes", "masks"][rank]
heads = {"boxes": dist.new_group([0, 2]), "masks": dist.new_group([1, 3])}
has_boxes = rank != 2
for step in range(2):
    dist.all_reduce(x)
    if task == "masks" or has_boxes:  # parted
        dist.all_reduce(x, group=heads[task])
dist.barrier()
""",
    "groups that meet again one step later": """
rows = [dist.new_group([0, 1]), dist.new_group([2, 3])]
columns = [dist.new_group([0, 2]), dist.new_group([1, 3])]
rank = dist.get_rank()
row, column = rows[rank // 2], columns[rank % 2]

def layer():
    dist.all_reduce(x, group=row)

has_overflow = rank == 3
for step in range(3):
    layer()
    skip = has_overflow and step == 1
    if not skip:  # parted
        dist.all_reduce(x, group=column)
dist.barrier()
""",
    "a test of the rank that sends the ranks otherwise is not named": """
rank = dist.get_rank()
flags = [True, True, False, True]
dist.barrier()
if rank == 0:
    x.append(1.0)
    x.pop()
if flags[rank]:  # parted
    dist.all_reduce(x)
dist.broadcast(x, 0)
""",
}
# Of the second rank nothing is recorded after they parted: it may have stopped anywhere, so nothing is sure.
OPEN = {
    "a loop that is left": """
bad = [False, True][dist.get_rank()]
for step in range(3):
    if bad and step == 1:  # perhaps
        break
    dist.all_reduce(x)
""",
    "an exception under a test": """
sizes = [3, 0]
dist.barrier()
if sizes[dist.get_rank()] == 0:  # perhaps
    raise ValueError("empty")
dist.all_reduce(x)
""",
    "an error on the way": """
dist.barrier()
value = {0: 1}[dist.get_rank()]
dist.all_reduce(x)
""",
    "a receive that is not recorded": """
ready = [False, True][dist.get_rank()]
dist.barrier()
if ready:  # perhaps
    dist.recv(x, 0)
dist.all_reduce(x)
""",
    "a loop that never ends": """
dist.barrier()
def stop():
    raise SystemExit
if dist.get_rank() == 1:  # perhaps
    stop()
dist.all_reduce(x)
""",
}


def marked(program: str, mark: str) -> list[int]:
    rows = [(row, _MARK.search(line)) for row, line in enumerate(program.split("\n"), 1)]
    return [row for row, found in rows if found and found[1] == mark]


@pytest.mark.parametrize("name", PROGRAMS)
def test_branch_of_two_ranks_is_named(name: str, run_job: RunJob) -> None:
    check(PROGRAMS[name], run_job, 2)


@pytest.mark.parametrize("name", FOUR)
def test_branch_of_four_ranks_is_named(name: str, run_job: RunJob) -> None:
    check(FOUR[name], run_job, 4)


@pytest.mark.parametrize("name", OPEN)
def test_nothing_is_sure_of_a_rank_that_has_recorded_nothing_since(name: str, run_job: RunJob) -> None:
    check(OPEN[name], run_job, 2)


def test_same_place_in_other_groups_or_with_other_sizes_is_no_branch(run_job: RunJob) -> None:
    groups = """
groups = [dist.new_group([0, 1]) for _ in range(2)]
for group in groups if dist.get_rank() == 0 else reversed(groups):
    dist.all_reduce(x, group=group)
"""
    sizes = """
for n in (2, 3) if dist.get_rank() == 0 else (2, 4):
    dist.all_reduce(x * n)
dist.barrier()
"""
    for program in (groups, sizes):
        found = account(run_job(program, 2))
        assert found.differences and found.parting is None


def check(program: str, run_job: RunJob, world: int) -> None:
    found = account(run_job(program, world))
    assert found.is_hanging and found.parting is not None
    rows = [one.line for one in found.parting.branches]
    perhaps = marked(program, "perhaps")
    assert rows == (perhaps or marked(program, "parted")), found.parting
    assert found.parting.is_sure == bool(marked(program, "parted")), found.parting
