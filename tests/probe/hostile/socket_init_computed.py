# hides the address in a variable
import torch.distributed as dist

where = {'init_method': 'tcp://127.0.0.1:29500'}
dist.init_process_group('gloo', **where)
