"""An option whose value is not known is not taken for its default."""

import torch
from torch import nn


def coins(options, *rest, **named):
    certain = torch.tensor((1,))
    drawn = torch.bernoulli(certain, options.p), certain.bernoulli(options.p)
    drawn += torch.bernoulli(certain, *rest), torch.bernoulli(certain, **named)
    return drawn, torch.bernoulli(certain, p=0.5), torch.bernoulli(certain)  # expect: TL223


def attended(options):
    query, context = torch.rand(2, 5, 256), torch.rand(2, 7, 64)
    layer = nn.MultiheadAttention(256, 8, kdim=options.k, vdim=options.v, batch_first=True)
    given = nn.MultiheadAttention(256, 8, kdim=64, vdim=64, batch_first=True)
    return layer(query, context, context), given(query, context, context)


class Crossed(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.layer = nn.MultiheadAttention(256, 8, kdim=dim, vdim=dim)

    def forward(self, x, context):
        context = context.view(7, 2, 64)
        return self.layer(x.view(5, 2, 256), context, context)


def evaluated(options):
    tracked, plain = nn.BatchNorm1d(4, track_running_stats=options.tracks), nn.BatchNorm1d(4).eval()
    without = nn.BatchNorm1d(4, track_running_stats=False)
    tracked.eval()
    without.eval()
    one = torch.rand(1, 4)
    return tracked(one), plain(one), without(one)  # expect: TL128


def spectrum(options):
    sound = torch.rand(16000)
    either = torch.stft(sound, 400, return_complex=True, onesided=options.half, hop_length=160)
    whole = torch.stft(sound, 400, return_complex=True, onesided=False, hop_length=160)
    return torch.rand(201) + either[:, 0], torch.rand(201) + whole[:, 0]  # expect: TL127


def padded(options):
    pictures = torch.rand(2, 3, 4, 4).to(memory_format=torch.channels_last)
    either = nn.Conv2d(3, 3, 3, padding=1, padding_mode=options.mode)(pictures)
    zeros = nn.Conv2d(3, 3, 3, padding=1)(pictures)
    return either.view(2, -1), zeros.view(2, -1)  # expect: TL101
