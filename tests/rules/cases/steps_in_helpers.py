import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

def get_optimizer(model, name="adam"):
    if name == "adam":
        return optim.Adam(model.parameters(), lr=1e-3)
    return optim.SGD(model.parameters(), lr=0.1)

def step_fn(model, opt, batch, criterion):
    x, y = batch
    loss = criterion(model(x), y)
    loss.backward()  # expect: TL501
    opt.step()
    return loss.item()

def main():
    model = nn.Linear(10, 2)
    opt = get_optimizer(model)
    sched = optim.lr_scheduler.StepLR(opt, 10)
    crit = nn.CrossEntropyLoss()
    ds = TensorDataset(torch.randn(100, 10), torch.randint(0, 2, (100,)))
    dl = DataLoader(ds, batch_size=10)
    for epoch in range(3):
        for batch in dl:
            step_fn(model, opt, batch, crit)
        sched.step()

if __name__ == "__main__":
    main()
