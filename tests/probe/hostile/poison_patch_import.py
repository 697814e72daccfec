# replaces a method of an imported class
from torch.nn import Linear

Linear.forward = print
