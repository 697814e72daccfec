import torch
import torch.nn as nn

class LSTMTagger(nn.Module):
    def __init__(self, vocab, emb, hidden, tags):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb)
        self.lstm = nn.LSTM(emb, hidden, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(hidden * 2, tags)
        self.hidden = hidden
    def forward(self, tokens):
        x = self.emb(tokens)
        out, _ = self.lstm(x)
        out = out.view(-1, self.hidden * 2)  # expect: TL101
        return self.fc(out)

def accuracy(output, target, topk=(1, 5)):
    maxk = max(topk)
    batch_size = target.size(0)
    _, pred = output.topk(maxk, 1, True, True)
    pred = pred.t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    res = []
    for k in topk:
        correct_k = correct[:k].view(-1).float().sum(0)
        res.append(correct_k.mul_(100.0 / batch_size))
    return res

def flat_heatmap(x):
    n, c, h, w = x.size()
    x = x.permute(0, 2, 3, 1)
    return x.view(n * h * w, c), x.contiguous().view(-1, c)  # expect: TL101

def ok(x):
    n, c, h, w = x.size()
    y = x.transpose(1, 2).contiguous()
    z = x.view(n, c, h * w).transpose(1, 2)
    z = z.reshape(n, -1)
    s = x[:, :1].view(n, h, w)
    return y.view(n, -1), z, x[0].view(-1), x.permute(0, 2, 3, 1).flatten(1)

def accuracy2(output, target, topk=(1,)):
    maxk = max(topk)
    _, pred = output.topk(maxk, 1, True, True)
    correct2 = pred.t().eq(target.view(1, -1).expand_as(pred.t()))
    for k in topk:
        c = correct2[:k].view(-1).float().sum(0)  # expect: TL101
    return c

def validate(out, y):
    return accuracy2(out, y, topk=(1, 5))
