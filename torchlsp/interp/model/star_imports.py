"""Lists the names that star imports from torch bind."""

from __future__ import annotations

from torchlsp import ops


def star_names(module: str) -> tuple[str, ...]:
    """Returns the known names that `from torch.nn import *` and similar imports bind."""
    ops.operator("")
    prefix = module + "."
    rows = [name[len(prefix) :] for name in (*ops.TABLE.rows, *ops.LAYERS.rows) if name.startswith(prefix)]
    extra = _STAR.get(module, ())
    return tuple(dict.fromkeys(name for name in (*rows, *extra) if "." not in name))


_STAR = {
    "torch": ("nn", "optim", "Tensor", "device", "no_grad", "utils", "cuda", "distributed"),
    "torch.nn": ("Module", "Parameter", "Sequential", "ModuleList", "ModuleDict", "functional", "init"),
    "torch.utils.data": (
        "DataLoader",
        "Dataset",
        "TensorDataset",
        "Subset",
        "random_split",
        "ConcatDataset",
        "IterableDataset",
        "Sampler",
        "SequentialSampler",
        "RandomSampler",
        "SubsetRandomSampler",
        "WeightedRandomSampler",
        "BatchSampler",
        "DistributedSampler",
        "default_collate",
        "get_worker_info",
    ),
    "torch.optim": ("SGD", "Adam", "AdamW", "RMSprop", "LBFGS", "Adagrad", "lr_scheduler"),
    "torch.distributed": (
        "get_rank",
        "all_reduce",
        "barrier",
        "broadcast",
        "init_process_group",
        "get_world_size",
    ),
}
