"""Tensors on a GPU in methods of scikit-learn's estimators, and the parameters of a model that was moved."""

import numpy as np
import torch
from sklearn.cluster import KMeans
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.manifold import TSNE
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"


@torch.no_grad()
def features(batches):
    encoder = nn.Linear(10, 5).to(device)
    return torch.cat([encoder(torch.randn(8, 10, device=device)) for _ in range(4)])


def project(batches):
    found = features(batches)
    labels = torch.arange(32, device=device)
    TSNE(n_components=2).fit_transform(found.cpu())
    TSNE(n_components=2).fit_transform(found)  # expect: TL301
    StandardScaler().fit(found)  # expect: TL301
    KMeans(3).fit(found.cpu()).predict(found)  # expect: TL301
    probe = LogisticRegression(max_iter=100)
    probe.fit(found.cpu().numpy(), labels)  # expect: TL301
    probe.fit(found.cpu().numpy(), labels.cpu())
    FunctionTransformer(torch.log1p).fit_transform(found)  # ok: the function gets the tensor itself
    return DummyClassifier().fit(found, np.zeros(32))


def weights():
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).to("cuda")
    for name, param in model.named_parameters():
        print(name, np.histogram(param.data.numpy(), bins=10))  # expect: TL301
        print(name, np.histogram(param.data.cpu().numpy(), bins=10))
    model.cpu()
    for param in model.parameters():
        print(param.detach().numpy().mean())
    model[0].to("cuda")
    for param in model.parameters():
        print(param.detach().numpy().mean())  # ok: some are on the CPU
    plain = nn.Linear(3, 3)
    for param in plain.parameters():
        print(param.detach().numpy().mean())
    return plain
