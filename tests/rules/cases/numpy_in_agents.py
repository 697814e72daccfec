import torch, numpy as np
from torch import nn
from sklearn.metrics import accuracy_score

class Agent:
    def __init__(self, use_cuda=True):
        self.device = "cuda"
        self.net = nn.Linear(4, 2).to(self.device)

    @torch.no_grad()
    def act(self, obs):
        q = self.net(torch.tensor(obs, dtype=torch.float32, device=self.device))
        return q.argmax(-1).numpy()  # expect: TL301

    def act_ok(self, obs):
        q = self.net(torch.tensor(obs, dtype=torch.float32, device=self.device))
        return q.argmax(-1).cpu().numpy(), q.detach().cpu().numpy(), q.tolist()

    def loss(self, obs):
        q = self.net(torch.as_tensor(obs).float().to(self.device))
        l = (q ** 2).mean()
        return l.cpu().numpy()  # expect: TL302

def evaluate(model, loader, device):
    ys, ps = [], []
    model.eval()
    with torch.inference_mode():
        for x, y in loader:
            x = x.to(device)
            ps.append(model(x).argmax(1).cpu().numpy())
            ys.append(y.numpy())
    return accuracy_score(np.concatenate(ys), np.concatenate(ps))

def main():
    if torch.cuda.is_available():
        dev = torch.device("cuda")
    else:
        dev = torch.device("cpu")
    x = torch.arange(3.).to(dev)
    a = x.numpy()  # expect: TL301
    m = nn.Linear(3, 3)
    m = m.to(dev)
    w = m.weight.data.cpu().numpy()
    out = m(x)
    b = out.cpu().detach().numpy()
    c = out.data.numpy()  # expect: TL301  # expect: TL424
    p = nn.Parameter(torch.zeros(3))
    d = p.numpy()  # expect: TL302
    e = p.detach().numpy()
    f = np.asarray(out.tolist())
    return a, b, c, d, e, f
