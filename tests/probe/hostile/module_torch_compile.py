# uses a module that torch holds: torch.compile
import torch

torch.compile(torch.nn.Linear(2, 2))(torch.ones(1, 2))
