# writes a pickle with ndarray.dump
import torch

torch.ones(3).numpy().dump('escaped.pickle')
