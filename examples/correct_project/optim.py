import torch


def split_decay(model):
    """Biases, norms and the position table are not decayed."""
    decay, no_decay = [], []
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            continue
        (no_decay if parameter.ndim == 1 or name.endswith("position") else decay).append(parameter)
    return decay, no_decay


def build_optimizer(model, config, steps):
    decay, no_decay = split_decay(model)
    optimizer = torch.optim.AdamW(
        [{"params": decay, "weight_decay": config.weight_decay}, {"params": no_decay, "weight_decay": 0.0}],
        lr=config.lr,
    )
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=config.lr, total_steps=steps)
    return optimizer, scheduler
