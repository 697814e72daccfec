# gives an exception the name of a module
import torch

try:
    raise ValueError
except ValueError as torch:
    pass
