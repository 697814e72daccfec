import torch

logits = torch.randn(2, 3, 4, 10)
values, best = logits.max(dim=3)

one_hot = torch.FloatTensor(best.size() + (10,)).zero_()
one_hot.scatter_(3, best.unsqueeze(-1), 1.0)
print(one_hot.view([2, 3, 4, 1, 10]).shape)

in_front = torch.FloatTensor((5,) + best.shape).zero_()
in_front.sum(dim=3)

twice = torch.FloatTensor(best.shape * 2).zero_()
twice.sum(dim=5)

numbers = torch.tensor((2, 3) + (4,))
numbers.sum(dim=0)
numbers.sum(dim=1)  # expect: TL122
