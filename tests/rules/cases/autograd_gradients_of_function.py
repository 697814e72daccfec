"""Programs about TL425 gradients-of-function: what is found, and near misses."""

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class OneOfTwo(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return (grad * y) / 2  # expect: TL425


class OneInATuple(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x * scale

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        return (grad * ctx.scale,)  # expect: TL425


class AListIsOne(Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, grad):
        return [grad, grad]  # expect: TL425


class TooMany(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad.clone(), grad.clone()  # expect: TL425


class TheContextApart(Function):
    @staticmethod
    def forward(x, y):
        return x * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return (grad.clone(),)  # expect: TL425


class OneWay(Function):
    @staticmethod
    def forward(ctx, x, y, both):
        ctx.both = both
        return x + y

    @staticmethod
    def backward(ctx, grad):
        if ctx.both:
            return grad, grad, None
        return grad, None  # expect: TL425


class AsItCame(Function):
    @staticmethod
    def forward(ctx, x, alpha):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad  # expect: TL425


class NoneBeyond(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2, None, None  # ok: torch drops None beyond the inputs


class PerhapsNoneBeyond(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.extra = None
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2, ctx.extra  # ok: it may be None


class Defaults(Function):
    @staticmethod
    def forward(ctx, x, y=None):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad.clone() * 2  # ok: `apply(x)` has one input, whatever the defaults of forward


class AnyNumber(Function):
    @staticmethod
    def forward(ctx, x, *weights):
        return x + sum(weights)

    @staticmethod
    def backward(ctx, grad):
        return grad, grad  # ok: how many it gets is not known


class Unpacked(Function):
    @staticmethod
    def forward(ctx, x, y, z):
        return x + y + z

    @staticmethod
    def backward(ctx, grad):
        rest = ctx.rest
        return grad, *rest  # ok: how many there are is not known


class AllThatCame(Function):
    @staticmethod
    def forward(ctx, x, y):
        return x.clone(), y.clone()

    @staticmethod
    def backward(ctx, *grads):
        return grads  # ok: as many as forward returns


class GivenOn(Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, grad):
        return ctx.spread(grad)  # ok: it may be a tuple


class ForOthers(Function):
    @staticmethod
    def forward(ctx, x, y):
        raise NotImplementedError

    @staticmethod
    def backward(ctx, grad):
        return grad.clone()  # ok: a class below has another forward


class Derived(ForOthers):
    @staticmethod
    def forward(ctx, x):
        return x.clone()


class ByHand(Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad.clone() * 2  # ok: the class below calls it


class Around(Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return ByHand.backward(ctx, grad), None


class NoFunction:
    @staticmethod
    def forward(ctx, x, y):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return torch.ones(2) * 2  # ok: nobody counts them


def spreading(function):
    def both(ctx, grad):
        return function(ctx, grad), None

    return both


class Decorated(Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * 2

    @staticmethod
    @spreading
    def backward(ctx, grad):
        return grad.clone() * 2  # ok: the decorator adds one


class Positions(Function):
    """Gives indices, which have no gradient: torch does not run its backward."""

    @staticmethod
    def forward(ctx, x, count, radius):
        return (x > radius).nonzero()[:count]

    @staticmethod
    def backward(ctx, grad):
        return None, None  # expect: TL425 (info)


class Counted(Function):
    @staticmethod
    def forward(ctx, x, count):
        return x.argsort()[:count]

    @staticmethod
    def backward(ctx, grad):
        return ()  # expect: TL425 (info)
