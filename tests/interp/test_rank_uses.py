"""Which uses of a rank leave the data of a file alone."""

from __future__ import annotations

import pytest

from torchlsp.core.text import Document
from torchlsp.interp.model.rank_usage import leaves_data_alone
from torchlsp.program.lower import lower
from torchlsp.syntax.parse import parse

HARMLESS = (
    "rank = int(os.environ['LOCAL_RANK'])\ntorch.cuda.set_device(rank)\n",
    "def main(rank, world_size):\n    dist.init_process_group('nccl', rank=rank, world_size=world_size)\n"
    "mp.spawn(main, args=(2,), nprocs=2)\n",
    "rank = dist.get_rank()\nif rank == 0:\n    print(rank)\n",
    "def setup(rank):\n    print(f'rank {rank}')\nsetup(dist.get_rank())\n",
    "class Trainer:\n    def __init__(self, gpu_id):\n        self.gpu_id = gpu_id\nTrainer(dist.get_rank())\n",
    "device = f'cuda:{rank}'\nfor x in tqdm(loader, disable=rank != 0):\n    x.to(device)\n",
    "torch.manual_seed(0)\nx = torch.randn(3)\n",
)
CHOICES = (
    "data = Subset(data, range(rank, 8, world_size))\n",
    "x = x[rank::2]\n",
    "torch.manual_seed(7 + rank)\n",
    "x = torch.randn(3)\n",
    "data = parts.get(rank)\n",
    "x = torch.load(f'part_{rank}.pt')\n",
    "if rank == 0:\n    data = other\n",
    "data = one if rank == 0 else other\n",
    "def load(i):\n    return i\nload(rank)\n",
    "def main(i, n):\n    pass\nmp.spawn(main, args=(2,), nprocs=2)\n",
    "def main(rank, world_size):\n    pass\nmp.spawn(main, args=(1,), nprocs=1)\n",
    "dist.init_process_group('gloo', rank=0, world_size=1)\n",
    "os.environ['WORLD_SIZE'] = '1'\n",
    "import accelerate\n",
    "from datasets.distributed import split_dataset_by_node\n",
    "group = dist.new_group([0, 1])\n",
    "dist.broadcast(x, 0)\n",
)


@pytest.mark.parametrize("source", HARMLESS)
def test_devices_messages_and_tests_are_harmless(source: str):
    assert leaves_data_alone(lower(parse(Document("program.py", source))))


@pytest.mark.parametrize("source", CHOICES)
def test_what_may_choose_data_is_not(source: str):
    assert not leaves_data_alone(lower(parse(Document("program.py", source))))
