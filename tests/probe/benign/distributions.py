import torch


from torch.distributions import Categorical, Normal, kl_divergence

policy = Categorical(logits=torch.zeros(2, 3))
action = policy.sample()
print(policy.log_prob(action), policy.entropy(), Normal(0.0, 1.0).rsample((2,)).shape)
print(kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0)))
