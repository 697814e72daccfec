import torch


a = torch.eye(3) + 0.1
u, s, vh = torch.linalg.svd(a)
print(torch.linalg.norm(a), torch.linalg.solve(a, torch.ones(3)), s.shape, torch.linalg.eigh(a).eigenvalues)
print(torch.fft.rfft(torch.ones(8)).abs(), torch.special.expit(torch.zeros(1)), torch.linalg.cholesky(a) @ vh)
