import torch


def first_wide(xs, width):
    for x in xs:
        if x.shape[1] == width:
            found = x
            break
    else:
        found = torch.zeros(1, 1, dtype=torch.float64)
    return found


a, b = torch.randn(2, 3), torch.randn(2, 5)
r = first_wide([a, b], 5)  # fact: r = f32[2, 5]
s = first_wide([a, b], 3)  # fact: s = f32[2, 3]
t = first_wide([a, b], 7)  # fact: t = f64[1, 1]
for i in range(100):
    if i > 30:
        y = torch.ones(3)
        break
else:
    y = torch.ones(4, dtype=torch.int64)
z = y + 1
for q in [a, b]:
    if q.shape[0] > 9:
        break
else:
    w = torch.ones(7)  # fact: w = f32[7]
v = torch.zeros(2)
for q in (a, b):
    if q.sum() > 1000:
        continue
    v = q
u = v
