# gives init_process_group another name
import torch.distributed as dist

f = dist.init_process_group
f('gloo', 'tcp://127.0.0.1:29500')
