import torch


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, low):
        ctx.save_for_backward(x)
        ctx.low = low
        return x.clamp(min=low)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x > ctx.low), None


x = torch.randn(4, requires_grad=True)
Clip.apply(x, 0.0).sum().backward()
print(x.grad)
