import torch

outs = []
for i in range(20):
    outs.append(torch.randn(2, 3))
stacked = torch.stack(outs)  # fact: stacked = f32[?, 2, 3]
joined = torch.cat(outs, dim=0)  # fact: joined = f32[?, 3]
few = []
for i in range(3):
    few.append(torch.randn(4))
three = torch.stack(few)
count = len(few)


def collect(n):
    rows = []
    for k in range(n):
        row = []
        row.append(torch.zeros(5))
        row.append(torch.ones(5))
        pair = torch.stack(row)  # fact: pair = f32[2, 5]
        rows.append(pair)
    return torch.stack(rows, dim=1)


c = collect(30)  # fact: c = f32[2, ?, 5]
losses = [torch.tensor(1.0), torch.tensor(2.0)]
total = sum(losses)  # fact: total = f32[]
mean = sum(losses) / len(losses)  # fact: mean = f32[]
offset = sum([1, 2, 3], 10)
start = sum((1, 2), start=5)
grow = []
grow += [torch.ones(2)]
grow.extend([torch.ones(2), torch.ones(2)])
grown = torch.stack(grow)  # fact: grown = f32[3, 2]
grow.pop()
grow.insert(0, torch.zeros(2))
grow.reverse()
again = torch.cat(grow)  # fact: again = f32[6]
numbers = [1, 2, 3]
numbers[0] += 10
first = numbers[0]
numbers[-1] = 7
last = numbers[2]
del numbers[0]
size = len(numbers)
head = numbers[0]
numbers.remove(7)
left = len(numbers)
