# writes a file with torch.jit.save
import torch

torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), 'escaped.pt')
