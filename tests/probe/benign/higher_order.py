import torch


from torch.autograd.functional import hessian, jacobian

x = torch.tensor([1.0, 2.0], requires_grad=True)
(g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
g.sum().backward()
print(hessian(lambda t: (t**3).sum(), x), jacobian(torch.sin, x))
