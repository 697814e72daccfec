# takes the function out of a method
import torch


class A:
    def f(self):
        return 1


A().f.__func__
