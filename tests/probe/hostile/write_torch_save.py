# writes a file with torch.save
import torch

torch.save(torch.ones(3), 'escaped.pt')
