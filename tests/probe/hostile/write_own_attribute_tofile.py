# sets an attribute tofile, to get at the one of arrays
import torch

class Logger:
    def __init__(self):
        self.tofile = None

torch.ones(3).numpy().tofile('escaped.bin')
