"""Modules of which nothing is seen but that they were moved to a GPU, called with tensors that are there (TL301)."""

import numpy as np
import torch


class Predictor:
    def __init__(self, net):
        self.device = torch.device("cuda")
        self.net = net.to(self.device)
        self.net.eval()

    def __call__(self, batch):
        x = torch.as_tensor(batch, device=self.device)
        with torch.no_grad():
            return self.net(x).numpy()  # expect: TL301


class Evaluator:
    def __init__(self, model):
        self.model = model.cuda().eval()

    def run(self, loader):
        preds = []
        for image, target in loader:
            image = image.cuda(non_blocking=True)
            scores = self.model(image).softmax(-1)
            preds.append(np.asarray(scores.detach()))  # expect: TL301
        return preds


def moved_in_place(model, loader):
    model.to("cuda")
    out = []
    with torch.no_grad():
        for x, _ in loader:
            out.append(model(x.to("cuda")).numpy())  # expect: TL301
    return np.concatenate(out)


def cast(model, x):
    model = model.to("cuda").to(torch.float16)
    return model(x.cuda()).detach().numpy()  # expect: TL301


def copied(model, x):
    model = model.cuda()
    y = model(x.cuda()).cpu()
    return y.numpy()


def moved_back(model, x):
    model.cuda()
    model.cpu()
    return model(x.cuda()).numpy()


def moved_back_again(model, x):
    model = model.cuda().eval().cpu()
    return model(x.cuda()).numpy()


def another_function(model, x, predict):
    model = model.cuda()
    return predict(x.cuda()).numpy()


def of_parts(model, x):
    model = model.cuda()
    return model(x.cuda())["out"].cpu().numpy(), model(x.cuda()).item(), model(x.cuda()).tolist()


def data_elsewhere(model, x, y):
    model = model.cuda()
    return model(x).numpy(), model(x.cuda(), y).numpy()


def other_methods(model, x):
    model = model.to("cuda").eval()
    return model.encode(x.cuda()).numpy()


class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.project = torch.nn.Linear(4, 4)

    def decode(self, z):
        return self.project(z)

    def decode_alone(self, z):
        return self.project(z)  # expect: TL303


def decoded_in_an_experiment(load):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Decoder()
    experiment = load(model)
    experiment.to(device)
    return model.decode(torch.zeros(2, 4).to(device))


def decoded_alone():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Decoder()
    z = torch.zeros(2, 4).to(device)
    return model.decode_alone(z)
