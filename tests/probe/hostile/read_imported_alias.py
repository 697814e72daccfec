# reaches os through an import from torch
from torch import os as o

o.system('touch escaped.txt')
