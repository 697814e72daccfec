import torch
import torch.nn.functional as F
from torch import nn


logits, target = torch.randn(4, 3), torch.tensor([0, 2, 1, 1])
print(F.nll_loss(F.log_softmax(logits, dim=1), target), nn.CrossEntropyLoss(label_smoothing=0.1)(logits, target))
print(F.kl_div(F.log_softmax(logits, 1), F.softmax(logits, 1), reduction="batchmean"))
print(nn.BCEWithLogitsLoss(pos_weight=torch.ones(3))(logits, F.one_hot(target, 3).float()))
print(nn.CTCLoss()(torch.randn(5, 2, 4).log_softmax(2), torch.tensor([[1, 2], [2, 1]]), (5, 5), (2, 2)))
print(F.smooth_l1_loss(logits, torch.zeros_like(logits)), F.triplet_margin_loss(logits, logits, -logits))
