"""Labels that pandas and scikit-learn have read, split or encoded: their dims and dtypes."""

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder, StandardScaler
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Table(Dataset):
    def __init__(self, path):
        frame = pd.read_csv(path)
        self.x = torch.tensor(frame[["a", "b"]].values, dtype=torch.float32)
        self.y = torch.tensor(frame["label"].values, dtype=torch.float32)
        self.index = torch.tensor(frame["label"].values, dtype=torch.long)
        self.read = torch.tensor(frame["label"].values)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, place):
        return self.x[place], self.y[place], self.index[place], self.read[place]


def of_columns(path):
    model = nn.Linear(2, 3)
    for x, y, index, read in DataLoader(Table(path), batch_size=4):
        F.cross_entropy(model(x), y)  # expect: TL201
        F.cross_entropy(model(x), index)
        F.cross_entropy(model(x), read)  # ok: what the file holds is not known


def of_parts(path):
    frame = pd.read_csv(path, header=0)
    x = torch.tensor(frame.iloc[:, :-1].to_numpy(), dtype=torch.float32)
    logits = nn.LazyLinear(3)(x)
    F.cross_entropy(logits, torch.as_tensor(frame.iloc[:, -1].values).float())  # expect: TL201
    F.cross_entropy(logits, torch.from_numpy(frame["label"].astype("int32").values))  # expect: TL201
    F.cross_entropy(logits, torch.from_numpy(frame.pop("label").to_numpy(dtype=np.float64)))  # expect: TL201
    F.cross_entropy(
        logits, torch.as_tensor(frame.iloc[:, -3:].values).float()
    )  # ok: three columns may be probabilities
    F.cross_entropy(logits, torch.from_numpy(frame["label"].astype("int64").values))
    some = frame[(frame["age"] > 3) & (frame["kind"] == 1)].sample(frac=1).reset_index(drop=True)
    picked = nn.LazyLinear(3)(torch.tensor(some[["a", "b"]].values).float())
    F.cross_entropy(picked, torch.tensor(some["kind"].values).float())  # expect: TL201
    return F.cross_entropy(picked, torch.tensor(some["kind"].values).long())


def of_several_header_rows(path, name, rows):
    frame = pd.read_csv(path, header=[0, 1])
    logits = nn.Linear(2, 3)(torch.rand(8, 2))
    F.cross_entropy(logits, torch.as_tensor(frame["label"].values).float())  # ok: may be several columns
    whole = pd.read_csv(path)
    F.cross_entropy(logits, torch.as_tensor(whole[name].values).float())  # ok: may be a list of names
    for part in pd.read_csv(path, chunksize=8):
        F.cross_entropy(logits, torch.as_tensor(part[["a", "b", "c"]].values).float())
    return F.cross_entropy(logits, torch.as_tensor(whole.iloc[rows, 2:5].values).float())


def of_splits(X, labels):
    X, y = load_iris(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=1)
    scaler = StandardScaler()
    logits = nn.Linear(4, 3)(torch.as_tensor(scaler.fit_transform(X_train)).float())
    F.cross_entropy(logits, torch.as_tensor(y_train).float())  # expect: TL201
    F.cross_entropy(logits, torch.as_tensor(y_train).long())
    F.cross_entropy(logits, torch.from_numpy(y_train))
    encoded = LabelEncoder().fit_transform(labels)
    F.cross_entropy(logits, torch.tensor(encoded, dtype=torch.float32))  # expect: TL201
    return F.cross_entropy(logits, torch.tensor(encoded))


def of_sets():
    iris = load_iris()
    logits = nn.Linear(4, 3)(torch.from_numpy(iris.data).float())
    F.cross_entropy(logits, torch.from_numpy(iris.target).int())  # expect: TL201
    F.cross_entropy(logits, torch.from_numpy(iris["target"]))
    x, y = make_classification(n_samples=100, n_features=8)
    F.cross_entropy(nn.Linear(8, 2)(torch.tensor(x).float()), torch.tensor(y).float())  # expect: TL201
    F.cross_entropy(nn.Linear(8, 2)(torch.tensor(x).float()), torch.tensor(y))
    x, y = make_regression(n_targets=2)
    return F.cross_entropy(nn.Linear(8, 2)(torch.rand(100, 8)), torch.tensor(y))  # ok: may have two columns
