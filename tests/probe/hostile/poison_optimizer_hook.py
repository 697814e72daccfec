# registers a hook on every optimizer
from torch.optim.optimizer import register_optimizer_step_post_hook

register_optimizer_step_post_hook(lambda *a: None)
