# defines a method tofile, to get at the one of arrays
import torch

class Logger:
    def tofile(self, path):
        return path

torch.ones(3).numpy().tofile('escaped.bin')
