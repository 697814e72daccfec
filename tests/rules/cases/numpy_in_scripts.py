import numpy as np
import torch
import torch.nn as nn
import matplotlib.pyplot as plt

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    def forward(self, x):
        return self.body(x)

model = Net().to(device)

def predict(model, xs):
    model.eval()
    with torch.no_grad():
        out = model(torch.as_tensor(xs, dtype=torch.float32).to(device))
    return out.numpy()  # expect: TL301

preds = predict(model, np.zeros((3, 4)))
x = torch.randn(5, 4, device=device)
y = model(x)
plt.plot(y.detach())  # expect: TL301
z = y.detach().cpu().numpy()
w = model.body[0].weight.detach().numpy()  # expect: TL301
loss = ((y - 1) ** 2).mean()
history = [loss.item()]
np.save("a.npy", y.detach().cpu())
k = torch.ones(3).cuda()
kk = np.array(k)  # expect: TL301


def three_kinds_of_machine():
    if torch.cuda.is_available():
        device = "cuda"
    elif torch.backends.mps.is_available():
        device = "mps"
    else:
        device = "cpu"
    counts = torch.tensor([1, 2, 3]).to(device)
    counts.cpu().numpy()
    return counts.numpy()  # expect: TL301


def three_kinds_in_one_line():
    device = torch.device(
        "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    )
    return torch.zeros(2, device=device).numpy()  # expect: TL301


def no_cuda_among_them(wanted):
    device = "mps" if torch.backends.mps.is_available() else "cpu"
    name = "cuda" if torch.cuda.is_available() else wanted
    print(name.upper())
    return torch.zeros(2, device=device).numpy()
