# walks the graph to objects of C++
import torch

print(torch.ones(1, requires_grad=True).sum().grad_fn.next_functions[0][0].variable)
