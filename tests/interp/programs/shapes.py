import torch

x = torch.randn(2, 3, 8, 8)
b, c, h, w = x.shape
n = h * w  # fact: n = 64
y = x.view(b, c, -1)  # fact: y = f32[2, 3, 64]
z = x.permute(0, 2, 3, 1)  # fact: z = f32[2, 8, 8, 3] noncontig
u = z.reshape(b, -1, c)  # fact: u = f32[2, 64, 3] noncontig
rest = x.shape[1:]
r = torch.zeros(rest)  # fact: r = f32[3, 8, 8]
s = x.shape[:2] + (n,)
t = x.reshape(s)  # fact: t = f32[2, 3, 64]
v = torch.zeros(*x.shape[2:], c)  # fact: v = f32[8, 8, 3]
size = torch.Size([2, 3])
numel = size.numel()  # fact: numel = 6
last = x.size(-1)
first, *others = x.shape
k = len(others)
*lead, tail = x.size()
p = x.flatten(1).shape[1]  # fact: p = 192
q = list(x.shape)
q[0] = 5
m = torch.zeros(q)  # fact: m = f32[5, 3, 8, 8]
text = f"{x.shape}"
prod = 1
for d in x.shape:
    prod *= d
half = h // 2
e = torch.zeros(half, w // half)
odd = -h % 3
f = torch.zeros(max(b, c), min(h, 3))
g = divmod(h, 3)
i = round(h / 3)
j = int(h / 3)
a = h / 2
l = x.shape == (2, 3, 8, 8)
o = tuple(reversed(x.shape))
aa = sum(x.shape)
ab = [dim * 2 for dim in x.shape]
ac = x.ndim
ad = torch.ones(x.shape[0], dtype=torch.long).shape
ae = (b, c) == (2, 3)
af = x.shape[-2:]
ag = sorted([3, 1, 2])
ah = max([b, c], key=lambda v: -v)
ai = all(d > 1 for d in x.shape)
aj = x.new_zeros(x.size()[:2])
ak = "%d" % b
al = abs(-b)
am = pow(b, 3)
an = b**2
ao = b << 2
ap = -b
aq = ~b
ar = min(x.shape[2:])
as_ = max(1, 2.5)
at = (1, 2)[::-1]
au = 7 // -2
av = range(10)[2:5]
