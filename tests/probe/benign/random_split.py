import torch


from torch.utils.data import DataLoader, Subset, TensorDataset, WeightedRandomSampler, random_split

data = TensorDataset(torch.arange(10))
train, held = random_split(data, [8, 2])
sampler = WeightedRandomSampler(torch.ones(8), num_samples=8)
print(len(list(DataLoader(train, batch_size=4, sampler=sampler, drop_last=True))), len(Subset(data, [1, 2])), len(held))
