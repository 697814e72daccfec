"""Files that ranks write: who comes to the line, and whose path it is."""

import os
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn

net = nn.Linear(4, 3)


def everywhere(args):
    dist.init_process_group("gloo")
    torch.save(net.state_dict(), "w.pt")  # expect: TL816
    torch.save(net.state_dict(), os.path.join(args.output, "w.pt"))  # expect: TL816
    torch.save(net.state_dict(), Path(args.output) / "w.pt")  # expect: TL816


def now_and_then(epochs):
    dist.init_process_group("gloo")
    for epoch in range(epochs):
        if (epoch + 1) % 10 == 0 or epoch == epochs - 1:
            torch.save(net.state_dict(), f"w_{epoch}.pt")  # expect: TL816


def paths_of_their_own(path, folder):
    dist.init_process_group("gloo")
    torch.save(net.state_dict(), path)
    torch.save(net.state_dict(), f"w_{dist.get_rank()}.pt")
    torch.save(net.state_dict(), "/tmp/w.pt")
    torch.save(net.state_dict(), os.path.join(folder, os.environ["HOSTNAME"], "w.pt"))
    with tempfile.TemporaryDirectory() as tmp:
        torch.save(net.state_dict(), os.path.join(tmp, "w.pt"))


def names_of_the_data(loader, args):
    dist.init_process_group("gloo")
    for item in loader:
        name = f"item_{item['index']}"
        torch.save(item["image"], os.path.join(args.output, "images", f"{name}.pt"))
    for step, (image, label) in enumerate(loader):
        torch.save(image, f"image_{label}.pt")
        torch.save(image, f"image_{step}.pt")  # expect: TL816


def somebody_decides(args, is_main, writer):
    dist.init_process_group("gloo")
    if is_main:
        torch.save(net.state_dict(), "w.pt")
    if args.save_model:
        torch.save(net.state_dict(), "w.pt")
    if args.rank == 0:
        torch.save(net.state_dict(), "w.pt")
    if writer is not None:
        torch.save(net.state_dict(), "w.pt")
    if dist.get_rank() == 0 and args.epochs > 1:
        torch.save(net.state_dict(), "w.pt")


def left_before(is_main):
    dist.init_process_group("gloo")
    if not is_main:
        return
    torch.save(net.state_dict(), "w.pt")


def before_the_group():
    torch.save(net.state_dict(), "w.pt")
    dist.init_process_group("gloo")


def one_process_only():
    dist.init_process_group("gloo", rank=0, world_size=1)
    torch.save(net.state_dict(), "w.pt")


def in_a_helper(model, name):
    torch.save(model.state_dict(), name + ".pt")  # expect: TL816


def calls_it():
    dist.init_process_group("gloo")
    in_a_helper(net, "last")


def first_of_the_node():
    local_rank = int(os.environ["LOCAL_RANK"])
    if local_rank == 0:  # expect: TL813
        torch.save(net.state_dict(), "w.pt")


def first_of_the_node_by_name(args):
    if args.local_rank in (0,):  # expect: TL813
        torch.save(net.state_dict(), os.path.join(args.output, "w.pt"))


def everyone_but_the_first():
    if int(os.environ["LOCAL_RANK"]) != 0:
        torch.save(net.state_dict(), "w.pt")


def both_ranks_are_asked():
    if int(os.environ["LOCAL_RANK"]) == 0:
        if dist.get_rank() == 0:
            torch.save(net.state_dict(), "w.pt")
    if dist.get_rank() == 0:
        if int(os.environ["LOCAL_RANK"]) == 0:
            torch.save(net.state_dict(), "w.pt")


def caches_of_the_node(cache):
    if int(os.environ["LOCAL_RANK"]) == 0:
        torch.save(net.state_dict(), cache)
        torch.save(net.state_dict(), "/scratch/w.pt")
        print("saved")
