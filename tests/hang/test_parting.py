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
SILENT = {
    "a rank that stops on the way": """
dist.barrier()
if dist.get_rank() == 1:
    raise SystemExit
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


def check(program: str, run_job: RunJob, world: int) -> None:
    found = account(run_job(program, world))
    assert found.is_hanging and found.parting is not None
    rows = [one.line for one in found.parting.branches]
    perhaps = marked(program, "perhaps")
    assert rows == (perhaps or marked(program, "parted")), found.parting
    assert found.parting.is_sure == (not perhaps), found.parting
