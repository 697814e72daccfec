# meets at a file
import torch.distributed as dist

dist.init_process_group('gloo', init_method='file:///tmp/escaped', rank=0, world_size=1)
