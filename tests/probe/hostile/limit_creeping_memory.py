# takes memory little by little
import torch

kept = []
while True:
    kept.append(torch.ones(1000000))
