import torch
from torch import nn


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(2, 2).to(device)
    return model(torch.ones(1, 2, device=device)).cpu()


if __name__ == "__main__":
    main()
main()
