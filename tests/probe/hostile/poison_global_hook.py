# registers a hook on every module
import torch

torch.nn.modules.module.register_module_forward_hook(lambda *a: None)
