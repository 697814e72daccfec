# uses a module that torch holds: torch.hub.load
import torch

torch.hub.load('someone/repository', 'model')
