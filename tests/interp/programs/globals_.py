import torch

SIZE = 4
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
CACHE = {}
LOG = []
counter = 0
x = torch.ones(2, 3)


def tick():
    global counter
    counter += 1
    return counter


def remember(key, value):
    if key not in CACHE:
        CACHE[key] = value
    n = len(CACHE)
    LOG.append(value)
    k = len(LOG)
    return CACHE[key]


def use():
    y = x
    n = SIZE
    return y


a = tick()
b = tick()
c = counter
d = remember("a", torch.ones(2))
e = remember("b", torch.ones(3))
f = remember("a", torch.ones(9))
g = len(LOG)
h = use()
x = x.view(6)
SIZE = 7
i = use()
j = x
LOG.clear()
k = len(LOG)


class Registry:
    items = []
    total = 0

    @classmethod
    def add(cls, t):
        cls.items.append(t)
        cls.total += 1
        return len(cls.items)


l = Registry.add(1)
m = Registry.add(2)
n = Registry.total
range_ = range
list = [1, 2]
o = len(list)
if c > 100:
    abs = lambda v: 5
p = abs(-3)


def setup():
    global LATE
    LATE = torch.ones(8)


setup()
q = LATE
