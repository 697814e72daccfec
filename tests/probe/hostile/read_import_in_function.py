# imports a listed module of torch under the name of another thing
def f():
    import torch.serialization as t
    return t.os.environ


raise ValueError(f())
