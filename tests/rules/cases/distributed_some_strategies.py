"""Methods of a framework that communicate for some strategies only, which a command chooses, are no collectives."""

import torch.distributed as dist
from accelerate import Accelerator
from lightning.fabric import Fabric


def saved(model, loss):
    accelerator = Accelerator()
    if accelerator.is_main_process:
        accelerator.save_state("state")
        accelerator.load_state("state")
        accelerator.backward(loss)
        accelerator.wait_for_everyone()  # expect: TL804


def clipped(model, optimizer, loss):
    fabric = Fabric()
    if fabric.is_global_zero:
        fabric.backward(loss)
        fabric.clip_gradients(model, optimizer, max_norm=1.0)
        fabric.save("state.pt", {"model": model})  # expect: TL804


def ended():
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        dist.barrier()  # expect: TL801
    if dist.get_rank() == 0:
        dist.destroy_process_group()
