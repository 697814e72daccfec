import torch


x = torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last)
print(x.is_contiguous(memory_format=torch.channels_last), x.permute(0, 2, 3, 1).flatten(1, 2).shape)
u = torch.randn(4, 4).t().contiguous().view(2, 8).unfold(1, 2, 2).expand(-1, -1, 2)
print(u.storage_offset(), u.unbind(0)[0].T.shape, torch.movedim(u, 0, -1).shape)
