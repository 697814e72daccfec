import torch


x = torch.randn(3, 4)
a = x.numpy()
back = torch.from_numpy(a.astype("float32").copy())
print(a.shape, a.mean(), a.T.reshape(-1).tolist()[:2], back.dtype, a.dtype, a.max(axis=0))
