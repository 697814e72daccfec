# asks super of another object
import torch


class A(torch.nn.Module):
    pass


super(A, A()).__setattr__
