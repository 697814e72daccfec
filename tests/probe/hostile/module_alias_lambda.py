# returns torch from a lambda
import torch

(lambda: torch)().data = 1
