# uses a module that torch holds: torch.threading.Thread
import torch

torch.threading.Thread(target=print).start()
