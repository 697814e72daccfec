import torch


predicted = torch.tensor([[0.1, 0.9], [0.8, 0.2]])
target = torch.tensor([1, 1])
values, indices = predicted.topk(2, dim=1)
correct = (predicted.argmax(dim=-1) == target).sum().item()
best = predicted.max(dim=1)
print(correct / len(target), best.values, best.indices, torch.bincount(target, minlength=2))
