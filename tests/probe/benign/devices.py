import torch


x = torch.ones(2)
print(x.device.type, x.is_cuda, x.to("cpu", torch.float64).dtype, x.to(x.device, non_blocking=True).get_device())
with torch.device("meta"):
    shape = torch.empty(50, 50)
print(shape.is_meta, torch.cuda.device_count() >= 0, torch.device("cuda", 1).index)
