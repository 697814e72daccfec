import torch


z = torch.complex(torch.ones(2), torch.zeros(2)) * 1j
print(z.real, z.imag, z.abs(), torch.view_as_real(z).shape, z.conj().angle(), (1 + 2j).real)
