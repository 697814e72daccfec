import torch
from torch import nn
from torch.distributions import Bernoulli, Categorical, Dirichlet, Independent, Normal, Uniform, kl_divergence
from torch.distributions.beta import Beta

net = nn.Linear(4, 3)
x = torch.randn(5, 4)
logits = net(x)

policy = Categorical(logits=logits)
action = policy.sample()  # fact: action = i64[5]
several = policy.sample((7,))  # fact: several = i64[7, 5]
chosen = policy.log_prob(action)  # fact: chosen = f32[5] grad
of_several = policy.log_prob(several)  # fact: of_several = f32[7, 5] grad
table = policy.log_prob(torch.zeros(5, 1))  # fact: table = f32[5, 5] grad
spread = policy.entropy()  # fact: spread = f32[5] grad
shares = policy.probs  # fact: shares = f32[5, 3] grad
of_shares = Categorical(torch.softmax(logits.detach(), -1)).log_prob(action)  # fact: of_shares = f32[5]

around = Normal(logits, 1.0)
drawn = around.sample()  # fact: drawn = f32[5, 3]
noisy = around.rsample(torch.Size([2]))  # fact: noisy = f32[2, 5, 3] grad
densities = around.log_prob(drawn)  # fact: densities = f32[5, 3] grad
middle = around.mean  # fact: middle = f32[5, 3] grad
width = around.scale  # fact: width = f32[5, 3]
one_for_each = Normal(logits, torch.ones(5, 1)).rsample()  # fact: one_for_each = f32[5, 3] grad
deviation = around.stddev
certain = around.entropy()
standard = Normal(0, 1)
number = standard.sample()  # fact: number = f32[]
vector = standard.sample((3,))  # fact: vector = f32[3]
double = Normal(logits.double(), 1).sample()  # fact: double = f64[5, 3]

whole = Independent(around, 1)
event = whole.rsample()  # fact: event = f32[5, 3] grad
of_event = whole.log_prob(event)  # fact: of_event = f32[5] grad
centre = whole.mean  # fact: centre = f32[5, 3] grad
apart = kl_divergence(around, standard)  # fact: apart = f32[5, 3] grad
together = kl_divergence(whole, Independent(Normal(torch.zeros(3), torch.ones(3)), 1))  # fact: together = f32[5] grad

coins = Bernoulli(logits=logits)
heads = coins.sample()  # fact: heads = f32[5, 3]
of_heads = coins.log_prob(heads).sum(-1)  # fact: of_heads = f32[5] grad
weights = Dirichlet(torch.ones(5, 3)).rsample()  # fact: weights = f32[5, 3]
of_weights = Dirichlet(logits.exp()).log_prob(weights)  # fact: of_weights = f32[5] grad
even = Uniform(torch.zeros(3), torch.tensor(1.0)).sample((2, 4))  # fact: even = f32[2, 4, 3]
ratio = Beta(torch.ones(2), torch.ones(2)).log_prob(torch.full((2,), 0.5))  # fact: ratio = f32[2]

with torch.no_grad():
    silent = Categorical(logits=net(x)).log_prob(action)  # fact: silent = f32[5]


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.mu = nn.Linear(4, 2)
        self.log_std = nn.Parameter(torch.zeros(2))

    def forward(self, state):
        return Normal(self.mu(state), self.log_std.exp())


def step(actor, state):
    dist = actor(state)
    taken = dist.sample()
    return taken, dist.log_prob(taken).sum(dim=-1)


moves, likely = step(Actor(), x)  # fact: likely = f32[5] grad


def unknown(dist):
    return dist.sample(), dist.log_prob(dist.sample())


pair = unknown(Normal(torch.zeros(2), torch.ones(2)))
either = policy if x.sum() > 0 else around
result = either.sample()
