# uses a module that torch holds: torch.serialization.pickle.loads
import torch

torch.serialization.pickle.loads(b'cos\nsystem\n.')
