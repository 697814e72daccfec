# builds a sparse tensor with indices out of bounds
import torch

torch.sparse_csr_tensor([0, 2], [0, 99999999], [1.0, 2.0], (1, 2), check_invariants=False)
