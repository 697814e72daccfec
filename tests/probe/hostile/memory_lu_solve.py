# solves with pivots that are out of bounds
import torch

torch.lu_solve(torch.ones(2, 1), torch.eye(2), torch.tensor([9, 9999999], dtype=torch.int32))
