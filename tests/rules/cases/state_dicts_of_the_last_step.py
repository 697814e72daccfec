"""A state dict that is kept in the last iteration, too, is that of the trained model."""

import torch


def trained(net, optimizer, x):
    optimizer.zero_grad()
    loss = net(x).sum()
    loss.backward()
    optimizer.step()
    return loss


def by_range(net, optimizer, x, epochs):
    checkpoint = None
    for epoch in range(epochs):
        trained(net, optimizer, x)
        if epoch % 10 == 0 or epoch == epochs - 1:
            checkpoint = {"model": net.state_dict(), "epoch": epoch}
            torch.save(checkpoint, f"{epoch}.pt")
    return checkpoint


def by_counting(net, optimizer, x, steps):
    step = 0
    checkpoint = None
    while step < steps:
        trained(net, optimizer, x)
        step += 1
        if step % 10 == 0 or step == steps:
            checkpoint = {"model": net.state_dict(), "step": step}
    return checkpoint


def left_after(net, optimizer, batches, steps):
    step = 0
    checkpoint = None
    for x in batches:
        trained(net, optimizer, x)
        step += 1
        if step % 10 == 0 or step == steps:
            checkpoint = {"model": net.state_dict(), "step": step}
        if step >= steps:
            break
    return checkpoint


def not_at_the_end(net, optimizer, x, epochs):
    checkpoint = None
    for epoch in range(epochs):
        trained(net, optimizer, x)
        if epoch % 10 == 0 or epoch == epochs // 2:
            checkpoint = {"model": net.state_dict(), "epoch": epoch}  # expect: TL611
    return checkpoint


def where_it_is_best(net, optimizer, x, epochs):
    best = None
    least = 1e9
    for epoch in range(epochs):
        loss = trained(net, optimizer, x)
        if loss < least:
            if epoch % 10 == 0 or epoch == epochs - 1:
                least = loss
                best = net.state_dict()  # expect: TL611
    return best


def trained_on(net, optimizer, x, epochs):
    best = None
    for epoch in range(epochs):
        if epoch % 10 == 0 or epoch == epochs - 1:
            best = net.state_dict()  # expect: TL611
        net(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return best


def with_scheduler(net, optimizer, scheduler, x, epochs):
    for epoch in range(epochs):
        trained(net, optimizer, x)
        if epoch == epochs - 1:
            last = net.state_dict()  # ok: a scheduler's step() changes no weights
        scheduler.step()
    torch.save(last, "last.pt")


def with_training_after(net, optimizer, x, epochs):
    for epoch in range(epochs):
        if epoch == epochs - 1:
            last = net.state_dict()  # expect: TL611
        trained(net, optimizer, x)
        optimizer.step()
    torch.save(last, "last.pt")
