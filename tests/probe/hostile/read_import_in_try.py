# imports os where imports are not looked for
import torch

try:
    import os
except ValueError:
    pass
os.system('touch escaped.txt')
