# hands torch over by keyword
import torch

print(1, end=torch)
