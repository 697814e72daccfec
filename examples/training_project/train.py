from dataclasses import asdict

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from config import parse_config
from data import ACTIVITIES, AXES, build_loaders
from distributed import cleanup, is_main_process, pick_device, reduce_mean, setup, world_size
from evaluate import evaluate
from losses import build_criterion
from metrics import AverageMeter
from model import build_model
from optim import build_optimizer


def unwrap(model):
    return model.module if isinstance(model, DistributedDataParallel) else model


def train_one_epoch(model, loader, criterion, optimizer, scheduler, device, config):
    model.train()
    meter = AverageMeter()
    for step, (windows, labels) in enumerate(loader):
        windows, labels = windows.to(device), labels.to(device)
        logits = model(windows)
        loss = criterion(logits, labels)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), config.clip_norm)
        optimizer.step()
        scheduler.step()

        if is_main_process() and step % config.log_every == 0:
            mean = reduce_mean(loss)
            meter.update(mean.item(), len(windows))
            print(f"step {step:4d}  loss {meter.average:.4f}  lr {scheduler.get_last_lr()[0]:.2e}")
    return meter.average


def save_checkpoint(path, model, config, epoch):
    torch.save({"model": unwrap(model).state_dict(), "config": asdict(config), "epoch": epoch}, path)


def main():
    config = parse_config()
    torch.manual_seed(0)
    local_rank = setup()
    device = pick_device()

    train_loader, val_loader = build_loaders(config, world_size())
    model = build_model(config, AXES, len(ACTIVITIES)).to(device)
    if world_size() > 1:
        model = DistributedDataParallel(model, device_ids=[local_rank] if device.type == "cuda" else None)
    criterion = build_criterion(config).to(device)
    optimizer, scheduler = build_optimizer(model, config, config.epochs * len(train_loader))

    best = 0.0
    for epoch in range(config.epochs):
        if world_size() > 1:
            train_loader.sampler.set_epoch(epoch)
        loss = train_one_epoch(model, train_loader, criterion, optimizer, scheduler, device, config)
        if is_main_process():
            accuracy = evaluate(unwrap(model), val_loader, device).accuracy()
            print(f"epoch {epoch}  loss {loss:.4f}  accuracy {accuracy:.3f}")
            if accuracy > best:
                best = accuracy
                save_checkpoint(config.checkpoint, model, config, epoch)
    cleanup()


if __name__ == "__main__":
    main()
