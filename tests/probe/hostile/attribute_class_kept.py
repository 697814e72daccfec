# keeps a class whose name it asks for
import torch


class A:
    def __init__(self):
        self.__name__ = 1


kind = torch.ones(1).__class__
