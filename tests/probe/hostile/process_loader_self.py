# sets the number of workers through a method
from torch.utils.data import DataLoader


class A:
    def f(self):
        self.num_workers = 2


B = A
loader = DataLoader([1, 2])
B.f(loader)
list(loader)
