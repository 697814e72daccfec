"""Nothing that a program counts to is counted up to here, at a module's top or in a function whose arguments are unknown."""

from __future__ import annotations

import time

import pytest
from test_robustness import analysed

HEAD = """\
import collections, copy, itertools, math
import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from einops import rearrange, repeat

n = 10 ** 9
"""

STATEMENTS = """\
a = (1,) * n
a = [t] * n
a = torch.Size([1]) * n
a = t.shape * n
a = 'a' * n
a = b'a' * n
a = bytes(n)
a = bytearray(n)
a = 1 << n
a = 10 ** n
a = 2.0 ** n
a = math.factorial(n)
a = math.comb(n, n // 2)
a = math.perm(n)
a = math.pow(10, n)
a = math.prod([n] * n)
a = f"{n:1000000000d}"
a = "%1000000000d" % 1
a = "{:1000000000}".format(1)
a = "x".ljust(n)
a = "x".center(n)
a = "x".zfill(n)
a = list(range(n)); b = sum(a); c = max(a)
a = sum(range(n))
a = tuple(range(n)); b = a[5]
a = sorted(range(n))
a = list(reversed(range(n)))
a = [i for i in range(n)]
a = {i: t for i in range(n)}
a = list(zip(range(n), range(n)))
a = list(enumerate(range(n)))
a = list(map(str, range(n)))
a = list(itertools.repeat(t, n))
a = list(itertools.product(range(n), repeat=n))
a = list(itertools.combinations(range(n), 5))
a = nn.ModuleList([nn.Linear(1, 1)] * n); a[5](t)
a = nn.ModuleList(nn.Linear(1, 1) for _ in range(n)); a[5](t)
a = nn.ModuleList([nn.Linear(1, 1) for _ in range(n)]); a[5](t)
a = nn.Sequential(*[nn.Linear(1, 1) for _ in range(n)]); a(t)
a = nn.Sequential(*([nn.Linear(1, 1)] * n)); a(t)
a = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), n); a(t)
a = nn.Transformer(8, 2, n, n)
a = nn.LSTM(2, 3, n); b = list(a.parameters()); c = a.weight_ih_l5; d = a.state_dict()
a = nn.LSTM(2, 3, n, bidirectional=True); b = a(torch.zeros(5, 4, 2))
a = torch.stack([t] * n)
a = torch.cat([t] * n)
a = torch.cat((t,) * 1000)
a = t.repeat((1,) * n)
a = t.view(*([1] * n))
a = t.expand(*((1,) * n), 3)
a = t[(None,) * n]
a = t[(None,) * 1000]
a = t[(0,) * n]
a = torch.zeros(n).tolist()
a = list(torch.zeros(n))
a = torch.zeros(n).unbind()
a = torch.arange(n); b = [int(i) for i in a]
for i in torch.arange(n): b = i
a, b = torch.zeros(n).chunk(2)
a = torch.meshgrid(*([t] * n))
a = torch.meshgrid(*[torch.arange(n)] * 50)
a = torch.cartesian_prod(*([t] * 100))
a = torch.einsum('a' * 1000000, t)
a = rearrange(t, '(a b) -> a b', a=n)
a = repeat(t, 'a -> a b', b=n)
a = F.one_hot(torch.zeros(3).long(), n)
a = F.pad(t, (n,) * 100)
a = F.pad(t, (n, n) * n)
a = dist.new_group(list(range(n)))
a = dist.new_group(range(n))
a = dist.get_rank() in range(n)
if dist.get_rank() in range(n): dist.barrier()
if dist.get_rank() in list(range(n)): dist.barrier()
if dist.get_rank() % n == 0: dist.barrier()
if dist.get_rank() < n: dist.barrier()
if 0 <= dist.get_rank() <= n: dist.barrier()
for i in range(n): t = t.unsqueeze(0)
for i in range(n): t = torch.cat([t, t])
a = collections.deque(maxlen=n)
a = np.zeros((n,) * 10).tolist()
a = np.zeros(n).reshape((1,) * n)
a = np.arange(n).tolist()
a = list(np.zeros(n))
a = np.expand_dims(np.zeros(3), tuple(range(n)))
a = np.eye(n)[range(n)]
a = np.split(np.zeros(n), n)
a = np.array_split(np.zeros(n), n)
a = torch.utils.data.random_split(range(n), [1] * n)
a = torch.utils.data.DataLoader(range(n), num_workers=n); b = next(iter(a))
a = torch.tensor([[0] * n] * n)
a = torch.tensor(range(n))
a = np.array([0] * n)
a = range(n)[::7]; b = list(a)
a = range(10 ** 5000); b = len(a); c = list(a)[3]
a = slice(0, n).indices(n)
a = t.movedim(tuple(range(n)), tuple(range(n)))
a = t.permute(*range(n))
a = t.sum(tuple(range(n)))
a = torch.zeros(*range(n))
a = torch.optim.SGD([t] * n, lr=1)
a = [nn.Parameter(t) for _ in range(n)]; b = torch.optim.SGD(a)
a = torch.triu_indices(n, n, n)
a = torch.nested.nested_tensor([t] * n)
a = copy.deepcopy([t] * n)
a = ''.join('a' for _ in range(n))
a = 'a,' * 10000000; b = a.split(',')
a = int('9' * 10000)
a = dict.fromkeys(range(n), 1)
a = set(range(n)); b = frozenset(range(n))
a, *b = range(n)
*a, b = [0] * n
a = any(range(n)) or all(range(n))
a = torch.vmap(lambda x: x, in_dims=(0,) * n)
a = lambda *x: x
b = a(*range(n))
b = a(*[t] * n)
print(*range(n))
a = torch.nn.ParameterList([nn.Parameter(t)] * n)
a = [[[0] * n] * n] * n; b = torch.tensor(a)
a = torch.block_diag(*[t] * n)
a = torch.broadcast_shapes(*[(1,)] * n)
a = torch.broadcast_tensors(*[t] * n)
a = t.split([1] * n)
a = t.tensor_split(list(range(n)))
a = torch.nn.utils.rnn.pad_sequence([t] * n)
a = torch.nn.Unflatten(0, (1,) * n)(t)
a = torch.nn.LayerNorm((1,) * n)(t)
a = torch.quantize_per_channel(t, t, t, n, torch.qint8)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "opening", ["if True:\n    t = torch.zeros(3)\n", "def g(t):\n"], ids=["known", "unknown"]
)
def test_counts_of_a_billion_take_a_moment(opening: str) -> None:
    slow = []
    for statement in STATEMENTS.splitlines():
        start = time.process_time()
        assert not analysed(f"{HEAD}{opening}    " + statement.replace("; ", "\n    ") + "\n").errors, (
            statement
        )
        if time.process_time() - start > 1.5:
            slow.append(statement)
    assert not slow
