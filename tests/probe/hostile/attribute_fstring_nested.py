# computes a format
import torch

width = 2000000000
f'{1:{width}}'
