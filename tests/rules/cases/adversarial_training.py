import torch
from torch import nn

class Trainer:
    def __init__(self):
        self.model = nn.Linear(3, 1)
        self.opt_g = torch.optim.Adam(self.model.parameters())
        self.disc = nn.Linear(3, 1)
        self.opt_d = torch.optim.Adam(self.disc.parameters())
        self.scaler = torch.cuda.amp.GradScaler()  # expect: TL909

    def train(self, loader):
        for x in loader:
            self.opt_d.zero_grad()
            d_loss = self.disc(x).mean()
            d_loss.backward()
            self.opt_d.step()
            g_loss = self.model(x).mean()
            self.scaler.scale(g_loss).backward()  # expect: TL501
            self.scaler.step(self.opt_g)
            self.scaler.update()

    def train_ok(self, loader):
        for i, x in enumerate(loader):
            loss = self.model(x).mean() / 4
            loss.backward()
            if (i + 1) % 4 == 0:
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                self.opt_g.step()
                self.model.zero_grad()

    def train_ok2(self, loader):
        params = [p for p in self.model.parameters() if p.requires_grad]
        for x in loader:
            for p in params:
                p.grad = None
            self.model(x).mean().backward()
            self.opt_g.step()
