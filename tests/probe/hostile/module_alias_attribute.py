# keeps torch on an object
import torch


class A:
    def __init__(self):
        self.os = torch


A().os.os.system('touch escaped.txt')
