"""Functions behind decorators of the program: what the decorator makes of them is what runs."""

import functools

import torch
import torch.distributed as dist


def on_first_rank(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        if dist.get_rank() == 0:
            return f(*args, **kwargs)  # expect: TL803

    return wrapper


def on_first_rank_quietly(f):
    def quiet(*args, **kwargs):
        if dist.get_rank() == 0:
            return f(*args, **kwargs)

    return quiet


def timed(f):
    def timer(*args):
        result = f(*args)
        print("done")
        return result

    return timer


@on_first_rank
def report(metric):
    dist.all_reduce(metric)
    print(metric)


@on_first_rank_quietly
def written(metric, path="metric.pt"):
    torch.save(metric, path)


@timed
def moved(x):
    return x.cuda()


@timed
def flat(x):
    return x.view(-1)  # expect: TL101


def main():
    dist.init_process_group("gloo")
    metric = torch.ones(1)
    report(metric)
    written(metric)
    flat(torch.ones(2, 3).t())
    moved(metric).numpy()  # expect: TL301
    flat(torch.ones(2, 3))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
