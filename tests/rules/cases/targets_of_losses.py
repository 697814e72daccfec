import torch, torch.nn as nn, torch.nn.functional as F
import numpy as np

class Seg(nn.Module):
    def __init__(self, classes=21):
        super().__init__()
        self.c = nn.Conv2d(3, classes, 1)
        self.criterion = nn.CrossEntropyLoss(ignore_index=255)
    def forward(self, x, mask):
        return self.criterion(self.c(x), mask)  # expect: TL201

def run():
    m = Seg()
    x = torch.randn(2, 3, 8, 8)
    m(x, torch.zeros(2, 8, 8, dtype=torch.long))
    m(x, torch.zeros(2, 8, 8))

def run_bad_mask():
    logits = nn.Conv2d(3, 21, 1)(torch.randn(2, 3, 8, 8))
    return F.cross_entropy(logits, torch.zeros(2, 8, 8, dtype=torch.uint8))  # expect: TL201

def bools(scores):
    logits = nn.Linear(4, 2)(torch.randn(6, 4))
    y = torch.randn(6) > 0
    return F.cross_entropy(logits, y)  # expect: TL201

def nll(y):
    lp = F.log_softmax(nn.Linear(4, 2)(torch.randn(6, 4)), dim=1)
    t = torch.from_numpy(np.array([0, 1, 1, 0, 1, 0], dtype=np.int32))
    return F.nll_loss(lp, t)  # expect: TL201

def smoothed():
    logits = nn.Linear(4, 3)(torch.randn(6, 4))
    y = torch.randint(0, 3, (6,))
    a = F.cross_entropy(logits, F.one_hot(y, 3).float(), label_smoothing=0.1)
    b = F.cross_entropy(logits, torch.softmax(torch.randn(6, 3), 1))
    c = nn.CrossEntropyLoss(reduction="none")(logits, y.long())
    d = F.cross_entropy(logits.unsqueeze(-1).expand(6, 3, 5), torch.zeros(6, 5, dtype=torch.int64))
    return a, b, c, d

def lm(vocab, dim):
    head = nn.Linear(dim, vocab)
    h = torch.randn(4, 7, dim)
    y = torch.randint(0, vocab, (4, 7))
    logits = head(h)
    ok = F.cross_entropy(logits.view(-1, vocab), y.view(-1)) + F.cross_entropy(logits.transpose(1, 2), y)
    return F.cross_entropy(logits, y) + ok  # expect: TL204
run()
