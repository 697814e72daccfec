import torch


x = torch.tensor([1, 2], dtype=torch.int32)
print(x.long().dtype, x.type(torch.float16), x.to(torch.bool), torch.finfo(torch.float32).eps, torch.iinfo(torch.int8).max)
print(torch.promote_types(torch.int8, torch.float16), torch.float32.is_floating_point, x.element_size(), x.type())
print(torch.result_type(x, 1.5), -1e9 * torch.ones(1), 2**30, 1 << 20)
