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
