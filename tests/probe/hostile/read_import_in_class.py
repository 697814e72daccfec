# imports a module as an attribute of a class
import torch


class A:
    import math as m

    def __init__(self):
        self.m = 1


print(A.m.__loader__)
