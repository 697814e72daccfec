"""A file that asserts the release of torch is written for that release; nothing of it runs with a later one."""

import torch
import torch.optim.lr_scheduler as schedulers

assert torch.__version__.split(".")[0] == "1"


def train(model: torch.nn.Module) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    schedulers.ReduceLROnPlateau(optimizer, verbose=True)
    torch.symeig(torch.eye(3))
    torch.ones(2, 3).cpu().view(4)  # expect: TL102
